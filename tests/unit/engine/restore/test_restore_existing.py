"""What happens to an object that is there already."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.engine.restore.existing import difference, judge, same
from kedge.kube.patch.merge import merge, without_nulls

Object = dict[str, Any]
OURS = {"velero.io/backup-name": "b", "velero.io/restore-name": "r"}
OLD = {"velero.io/backup-name": "b", "velero.io/restore-name": "older"}
RELABEL = {"metadata": {"labels": OURS}}
WARNING = "Warning: the in-cluster version is different than the backed-up version"


def config(data: Object, labels: Object | None = None) -> Object:
    metadata: Object = {"name": "c", "namespace": "a"}
    if labels:
        metadata["labels"] = labels
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def test_same_object_is_left_alone() -> None:
    for policy in (None, "", "none"):
        verdict = judge(config({"a": "1"}), config({"a": "1"}, OURS), "configmaps", policy)
        assert (verdict.patch, verdict.warning, verdict.is_update) == (None, "", False)


def test_same_object_gets_new_labels_by_policy_update() -> None:
    wanted = config({"a": "1"}, OURS)
    assert judge(config({"a": "1"}), wanted, "configmaps", "update").patch == RELABEL
    changed = judge(config({"a": "1"}, OLD), wanted, "configmaps", "update")
    assert changed.patch == {"metadata": {"labels": {"velero.io/restore-name": "r"}}}
    assert not changed.is_update


def test_same_object_with_our_labels_is_not_written() -> None:
    wanted = config({"a": "1"}, OURS)
    assert judge(config({"a": "1"}, OURS), wanted, "configmaps", "update").patch is None


@pytest.mark.parametrize(
    ("policy", "text"),
    [
        (None, f"could not restore, ConfigMap:c already exists. {WARNING}"),
        ("", f"could not restore, ConfigMap:c already exists. {WARNING}"),
        ("none", f'could not restore, ConfigMap "c" already exists. {WARNING}'),
    ],
)
def test_other_object_is_warned_of(policy: str | None, text: str) -> None:
    verdict = judge(config({"a": "1"}), config({"a": "2"}, OURS), "configmaps", policy)
    assert (verdict.warning, verdict.patch) == (text, None)


def test_other_object_is_changed_by_policy_update() -> None:
    live = config({"a": "1", "b": "2"}, {"mine": "x"})
    wanted = config({"a": "3"}, OURS)
    verdict = judge(live, wanted, "configmaps", "update")
    assert verdict.patch == {
        "data": {"a": "3", "b": None},
        "metadata": {"labels": {**OURS, "mine": None}},
    }
    assert verdict.fallback == RELABEL
    assert verdict.is_update


def account(**rest: Any) -> Object:
    meta = {"name": "s", "namespace": "a", **rest.pop("meta", {})}
    return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": meta, **rest}


@pytest.mark.parametrize("policy", [None, "none", "update"])
def test_accounts_are_merged_whatever_the_policy(policy: str | None) -> None:
    live = account(
        secrets=[{"name": "a"}],
        imagePullSecrets=[{"name": "p"}],
        meta={"labels": {"x": "live"}, "annotations": {"n": "live"}},
    )
    wanted = account(
        secrets=[{"name": "b"}, {"name": "a"}],
        imagePullSecrets=[{"name": "q"}],
        meta={"labels": {**OURS, "x": "kept", "y": "new"}, "annotations": {"n": "k", "m": "new"}},
    )
    verdict = judge(live, wanted, "serviceaccounts", policy)
    assert verdict.patch is not None
    result = merge(live, verdict.patch)
    assert result["secrets"] == [{"name": "a"}, {"name": "b"}]
    assert result["imagePullSecrets"] == [{"name": "p"}, {"name": "q"}]
    assert result["metadata"]["labels"] == {"x": "live", "y": "new", **OURS}
    assert result["metadata"]["annotations"] == {"n": "live", "m": "new"}
    assert verdict.is_update
    assert verdict.fallback == (RELABEL if policy == "update" else None)


def test_account_that_lacks_nothing_is_not_written() -> None:
    live = account(secrets=[{"name": "a"}, {"name": "b"}], automountServiceAccountToken=True)
    wanted = account(secrets=[{"name": "b"}], meta={"labels": OURS})
    verdict = judge(live, wanted, "serviceaccounts", None)
    assert (verdict.patch, verdict.warning) == (None, "")


values = st.recursive(
    st.booleans() | st.integers(-5, 5) | st.text("ab", max_size=2),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text("abc", min_size=1, max_size=1), inner, max_size=3)
    ),
    max_leaves=10,
)
objects = st.dictionaries(st.text("abc", min_size=1, max_size=1), values, max_size=4)


@given(objects, objects)
def test_difference_makes_one_object_of_the_other(before: Object, after: Object) -> None:
    assert same(merge(before, difference(before, after)), after)


@given(objects)
def test_no_difference_between_the_same(obj: Object) -> None:
    assert difference(obj, without_nulls(obj)) == {}
    assert same({**obj, "z": None}, obj)


def test_numbers_and_truths_are_told_apart() -> None:
    assert not same(1, True)
    assert not same({"a": 0}, {"a": False})
    assert not same({"a": {}}, {})
    assert not same({"a": []}, {})


def test_a_lease_stays_with_who_holds_it() -> None:
    live = {"kind": "Lease", "metadata": {"name": "kedge"}, "spec": {"holderIdentity": "now"}}
    meta = {"name": "kedge", "labels": OURS}
    wanted = {"kind": "Lease", "metadata": meta, "spec": {"holderIdentity": "then"}}
    verdict = judge(live, wanted, "leases.coordination.k8s.io", "update")
    assert verdict.patch is verdict.fallback is None
    assert verdict.warning == (
        'could not restore, Lease "kedge" already exists. '
        "Warning: the in-cluster version is different than the backed-up version"
    )
