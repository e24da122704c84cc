"""The Velero objects that are made: what they save, and what never."""

from typing import Any

import pytest

from kedge.selfservice.policy import NOTHING, Policy
from kedge.selfservice.velero import (
    BUCKET_EXCLUDED,
    CLUSTER_EXCLUDED,
    NAMESPACED_EXCLUDED,
    RESTORE_EXCLUDED,
    Request,
    velero_backup,
    velero_restore,
)

ALL = [*NAMESPACED_EXCLUDED, *CLUSTER_EXCLUDED]


def request(spec: Any) -> Request:
    return Request("shop", "nightly", "uid-1", "shop-nightly-u", spec)


def backup(spec: Any, enforced: Any = None, location: str = "") -> Any:
    return velero_backup(request(spec), "velero", Policy(backup=enforced or {}), location)


def test_it_is_marked_with_its_origin() -> None:
    made = backup({})
    assert made["metadata"] == {
        "name": "shop-nightly-u",
        "namespace": "velero",
        "labels": {
            "openshift.io/oadp": "True",
            "app.kubernetes.io/managed-by": "oadp-nac-controller",
            "openshift.io/oadp-nab-origin-nacuuid": "shop-nightly-u",
        },
        "annotations": {
            "openshift.io/oadp-nab-origin-namespace": "shop",
            "openshift.io/oadp-nab-origin-name": "nightly",
            "kedge.dev/origin-uid": "uid-1",
        },
    }
    assert (made["apiVersion"], made["kind"]) == ("velero.io/v1", "Backup")
    assert made["spec"] == {"includedNamespaces": ["shop"], "excludedResources": ALL}


@pytest.mark.parametrize("given", [None, [], ["shop"], ["victim"], ["*"]])
def test_it_saves_its_own_namespace_whatever_is_said(given: Any) -> None:
    made = backup({"includedNamespaces": given}, {"includedNamespaces": ["other"]})
    assert made["spec"]["includedNamespaces"] == ["shop"]


def test_what_is_enforced_fills_what_is_not_set() -> None:
    enforced = {"snapshotVolumes": False, "ttl": "36h", "defaultVolumesToFsBackup": True}
    made = backup({"ttl": "0s", "defaultVolumesToFsBackup": False}, enforced)["spec"]
    assert made["snapshotVolumes"] is False
    assert made["ttl"] == "36h"
    assert made["defaultVolumesToFsBackup"] is False


def test_the_spec_of_the_user_is_not_changed() -> None:
    spec = {"excludedResources": ["secrets"]}
    backup(spec, {"ttl": "1h"})
    assert spec == {"excludedResources": ["secrets"]}


def test_its_own_location_takes_the_place_of_the_users_name_for_it() -> None:
    assert backup({"storageLocation": "mine"}, location="real")["spec"]["storageLocation"] == "real"
    assert "storageLocation" not in backup({})["spec"]


def test_what_nobody_may_have_is_left_out_in_the_old_style() -> None:
    made = backup({"excludedResources": ["secrets", "clusterroles"]})["spec"]
    rest = [each for each in ALL if each != "clusterroles"]
    assert made["excludedResources"] == ["secrets", "clusterroles", *rest]


@pytest.mark.parametrize(
    "spec",
    [
        {"includedNamespaceScopedResources": ["pods"]},
        {"excludedNamespaceScopedResources": ["pods"]},
        {"excludedClusterScopedResources": ["nodes"]},
        {"includedClusterScopedResources": ["nodes"]},
    ],
)
def test_what_nobody_may_have_is_left_out_in_the_new_style(spec: Any) -> None:
    made = backup(spec)["spec"]
    assert "excludedResources" not in made
    assert set(NAMESPACED_EXCLUDED) <= set(made["excludedNamespaceScopedResources"])
    assert set(CLUSTER_EXCLUDED) <= set(made["excludedClusterScopedResources"])
    for name, given in spec.items():
        assert made[name][: len(given)] == given


@pytest.mark.parametrize(
    "name", ["excludedClusterScopedResources", "excludedNamespaceScopedResources"]
)
def test_who_leaves_out_everything_needs_nothing_more_and_is_not_refused_for_it(name: str) -> None:
    assert backup({name: ["*"]})["spec"][name] == ["*"]


def test_null_is_as_good_as_absent() -> None:
    assert "ttl" not in backup({"ttl": None})["spec"]


def test_a_restore_brings_back_nothing_from_outside_of_its_namespace() -> None:
    spec = {"backupName": "nightly", "includeClusterResources": True, "excludedResources": ["a"]}
    policy = Policy(restore={"restorePVs": False})
    made = velero_restore(request(spec), "velero", policy, "velero-name")
    assert made["kind"] == "Restore"
    assert made["spec"] == {
        "backupName": "velero-name",
        "includedNamespaces": ["shop"],
        "includeClusterResources": False,
        "restorePVs": False,
        "excludedResources": ["a", *RESTORE_EXCLUDED, *CLUSTER_EXCLUDED],
    }

    assert made["metadata"]["annotations"]["openshift.io/oadp-nar-origin-name"] == "nightly"


def test_an_archive_of_a_users_own_making_gives_no_rights() -> None:
    asked = {"restoreStatus": {"includedResources": ["*"]}}
    spec = velero_restore(request(asked), "velero", NOTHING, "n", is_own_work=True)["spec"]
    assert set(BUCKET_EXCLUDED) <= set(spec["excludedResources"])
    assert {"roles.*", "rolebindings.*", "endpoints.*"} <= set(spec["excludedResources"])
    # A Velero takes no notice of a lone asterisk here.
    assert spec["restoreStatus"] == {"excludedResources": ["*", "?*"]}
    spec = velero_restore(request(asked), "velero", NOTHING, "n")["spec"]
    assert not set(BUCKET_EXCLUDED) & set(spec["excludedResources"])
    assert spec["restoreStatus"] == asked["restoreStatus"]


def test_what_asks_the_server_for_something_does_not_come_out_of_an_archive() -> None:
    spec = velero_restore(request({}), "velero", NOTHING, "velero-name")["spec"]
    requests = {*NAMESPACED_EXCLUDED, "nonadmindownloadrequests", "volumesnapshotclasses"}
    assert requests <= set(spec["excludedResources"])


def test_where_no_hooks_may_run_those_of_pods_do_not_either() -> None:
    for is_allowed, wanted in ((True, None), (False, "none")):
        policy = Policy(allow_hooks=is_allowed)
        for made in (
            velero_backup(request({}), "velero", policy),
            velero_restore(request({}), "velero", policy, "n"),
        ):
            assert made["metadata"]["annotations"].get("kedge.dev/hooks") == wanted
