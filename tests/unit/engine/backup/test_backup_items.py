import msgspec
import pytest

from kedge.engine.backup.items import Typing, Unreadable, head_of
from kedge.engine.backup.relations import BINDING, POD, definition_of, is_bound, trim
from kedge.kube.kind import Object, plain

CONFIGS = Typing(plain("v1", "ConfigMap", "configmaps"))
DEEP = b'{"metadata":{"name":"a","namespace":"b"},"x":' + b"[" * 20000 + b"]" * 20000 + b"}"


def whole(raw: bytes, typing: Typing = CONFIGS) -> bytes:
    return typing.whole(raw, head_of(raw))


def test_an_item_of_a_list_gets_its_type_and_is_the_same_otherwise() -> None:
    raw = b'{"metadata":{"name":"a"},"data":{"k":"\\u0000 \xc3\xa4"}}'
    assert whole(raw) == b'{"apiVersion":"v1","kind":"ConfigMap",' + raw[1:]


def test_an_item_that_has_its_type_is_not_touched() -> None:
    raw = b'{"metadata":{"name":"a"},"kind":"Boat","apiVersion":"sea.example.org/v1"}'
    assert whole(raw) == raw


def test_half_a_type_is_made_whole() -> None:
    raw = b'{"kind":"Other","metadata":{"name":"a"},"spec":{"big":12345678901234567890}}'
    found = msgspec.json.decode(whole(raw))
    assert (found["apiVersion"], found["kind"]) == ("v1", "ConfigMap")
    assert b"12345678901234567890" in whole(raw)


def test_an_item_that_is_too_deep_for_a_decoder_is_saved_all_the_same() -> None:
    head = head_of(DEEP)
    assert (head.metadata.name, head.metadata.namespace) == ("a", "b")
    assert whole(DEEP).endswith(DEEP[1:])


@pytest.mark.parametrize(
    "raw", [b"{}", b"[]", b"null", b'{"metadata":[]}', b'{"metadata":{"name":1}}']
)
def test_what_is_no_object_is_refused(raw: bytes) -> None:
    with pytest.raises(Unreadable):
        head_of(raw)


def claim(**spec: object) -> Object:
    return {
        "metadata": {"name": "data", "namespace": "db"},
        "spec": {"volumeName": "pv-1", **spec},
        "status": {"phase": "Bound"},
    }


def test_a_bound_claim_loses_where_its_data_came_from() -> None:
    one = claim(dataSource={"name": "s"}, dataSourceRef={"name": "s"}, storageClassName="fast")
    assert trim(one, "b")
    assert one == claim(storageClassName="fast")


@pytest.mark.parametrize("storage", [{}, {"storageClassName": "fast"}, {"storageClassName": None}])
def test_a_selector_goes_unless_there_is_no_storage_class(storage: Object) -> None:
    selector = {"matchLabels": {"a": "b", "velero.io/x": "c"}}
    one = claim(selector=dict(selector), **storage)
    assert trim(one, "b")
    assert "selector" not in one["spec"]


def test_a_selector_stays_for_a_claim_that_wants_no_storage_class() -> None:
    labels = {"a": "b", "velero.io/x": "c"}
    one = claim(selector={"matchLabels": labels}, storageClassName="")
    assert trim(one, "b")
    assert one["spec"]["selector"] == {"matchLabels": {"a": "b"}}
    assert not trim(one, "b")


def test_labels_of_older_runs_are_taken_off() -> None:
    one = claim()
    one["metadata"]["labels"] = {
        "app": "db",
        "velero.io/restore-name": "r",
        "velero.io/backup-name": "older",
        "velero.io/volume-snapshot-name": "s",
        "backup.velero.io/must-include-additional-items": "true",
        "velero.io/other": "kept",
    }
    assert trim(one, "now")
    assert one["metadata"]["labels"] == {"app": "db", "velero.io/other": "kept"}
    one["metadata"]["labels"] = {"velero.io/backup-name": "now"}
    assert not trim(one, "now")
    assert trim(one, "later")
    assert "labels" not in one["metadata"]


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        (claim(), True),
        ({**claim(), "status": {"phase": "Pending"}}, False),
        ({**claim(), "status": {"phase": "Lost"}}, False),
        ({**claim(), "spec": {}}, False),
        ({**claim(), "status": None}, False),
        ({}, False),
    ],
)
def test_a_claim_is_bound_if_it_says_so_and_has_a_volume(obj: Object, expected: bool) -> None:
    assert is_bound(obj) is expected


def test_a_pod_needs_its_claims_and_its_priority() -> None:
    pod = POD.decode(
        msgspec.json.encode(
            {
                "metadata": {"name": "p", "namespace": "db"},
                "spec": {
                    "priorityClassName": "high",
                    "volumes": [
                        {"name": "a", "persistentVolumeClaim": {"claimName": "data"}},
                        {"name": "b", "emptyDir": {}},
                        {"name": "c", "persistentVolumeClaim": {"claimName": ""}},
                    ],
                },
            }
        )
    )
    assert [(one.resource, one.namespace, one.name) for one in pod.needs()] == [
        ("priorityclasses.scheduling.k8s.io", "", "high"),
        ("persistentvolumeclaims", "db", "data"),
    ]


def test_a_binding_tells_its_service_accounts_and_its_role() -> None:
    binding = BINDING.decode(
        msgspec.json.encode(
            {
                "metadata": {"name": "crb"},
                "roleRef": {"kind": "ClusterRole", "name": "admin"},
                "subjects": [
                    {"kind": "User", "name": "u"},
                    {"kind": "ServiceAccount", "name": "s", "namespace": "n"},
                ],
            }
        )
    )
    assert list(binding.accounts()) == [("n", "s")]
    assert [one.name for one in binding.places()] == ["crb", "admin"]
    assert list(BINDING.decode(b'{"metadata":{"name":"x"},"subjects":null}').accounts()) == []


def test_only_groups_with_a_dot_may_have_a_definition() -> None:
    place = definition_of("boats.sea.example.org", "sea.example.org")
    assert place is not None
    assert place.name == "boats.sea.example.org"
    assert definition_of("pods", "") is None
    assert definition_of("deployments.apps", "apps") is None
