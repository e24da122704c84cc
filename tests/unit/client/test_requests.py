from collections.abc import Callable
from typing import Any
from urllib.parse import quote, unquote

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.client import patches, requests
from kedge.client.requests import (
    AS_USUAL,
    EVERYTHING,
    PLAINLY,
    Deletion,
    Following,
    Request,
    Selection,
    Writing,
)
from kedge.kube.kind import Kind, plain
from kedge.kube.meta import ObjectMeta, Partial

CONFIGS = plain("v1", "ConfigMap", "configmaps")
NODES = plain("v1", "Node", "nodes", namespaced=False)
BOATS = plain("sea.example.org/v1beta1", "Boat", "boats")


class Boat(msgspec.Struct, rename="camel", omit_defaults=True):
    metadata: ObjectMeta
    crew_size: int = 0


TYPED = Kind("sea.example.org", "v1", "Boat", "boats", Boat)


def body(request: Request) -> Any:
    assert request.body is not None
    return msgspec.json.decode(request.body)


def test_get_of_each_scope_and_group() -> None:
    assert requests.get(CONFIGS, "a", "ns") == Request(
        "GET", "/api/v1/namespaces/ns/configmaps/a", repeatable=True
    )
    assert requests.get(NODES, "n1", None).path == "/api/v1/nodes/n1"
    path = "/apis/sea.example.org/v1beta1/namespaces/ns/boats/b"
    assert requests.get(BOATS, "b", "ns").path == path


def test_metadata_alone_is_asked_for_with_the_whole_as_a_way_out() -> None:
    one = requests.get(CONFIGS.partial, "a", "ns").accept
    assert one.split(",") == [
        "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
        "application/json",
    ]
    assert "as=PartialObjectMetadataList;" in requests.page(CONFIGS.partial, EVERYTHING, 5).accept
    change = requests.patch(CONFIGS.partial, "a", patches.merge({}), "ns", PLAINLY)
    assert change.accept == one
    assert (
        "as=PartialObjectMetadata;"
        in requests.watch(CONFIGS.partial, EVERYTHING, Following()).accept
    )


def test_a_page_carries_selectors_limit_token_and_version() -> None:
    selection = Selection("ns", "app in (a,b),!c", "metadata.name=x")
    request = requests.page(CONFIGS, selection, 7, "t=", "0")
    assert request.path == "/api/v1/namespaces/ns/configmaps"
    assert request.query == {
        "labelSelector": "app in (a,b),!c",
        "fieldSelector": "metadata.name=x",
        "limit": "7",
        "continue": "t=",
        "resourceVersion": "0",
    }

    assert request.repeatable


def test_a_page_that_must_have_seen_a_version_says_so() -> None:
    assert requests.page(CONFIGS, EVERYTHING, 0, version="12").query == {
        "resourceVersion": "12",
        "resourceVersionMatch": "NotOlderThan",
    }


def test_a_page_of_everything_has_no_parameters_but_those_that_are_wanted() -> None:
    assert requests.page(CONFIGS, EVERYTHING, 0).query == {}
    assert requests.page(CONFIGS, EVERYTHING, 0).path == "/api/v1/configmaps"


def test_a_watch_asks_for_bookmarks() -> None:
    request = requests.watch(CONFIGS, Selection(labels="a=b"), Following("5", 30))
    assert request.query == {
        "watch": "true",
        "allowWatchBookmarks": "true",
        "labelSelector": "a=b",
        "resourceVersion": "5",
        "timeoutSeconds": "30",
    }


def test_a_watch_may_begin_with_all_there_is() -> None:
    query = requests.watch(CONFIGS, EVERYTHING, Following(initial=True)).query
    assert query["sendInitialEvents"] == "true"
    assert query["resourceVersionMatch"] == "NotOlderThan"
    assert "resourceVersion" not in query


def test_create_fills_in_the_kind_and_goes_to_the_namespace_of_the_object() -> None:
    request = requests.create(
        CONFIGS, {"metadata": {"name": "a", "namespace": "ns"}, "data": {}}, None, PLAINLY
    )
    assert (request.method, request.path) == ("POST", "/api/v1/namespaces/ns/configmaps")
    assert body(request) == {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "a", "namespace": "ns"},
        "data": {},
    }
    assert request.media == "application/json"
    assert not request.repeatable


def test_create_of_a_typed_object_writes_the_names_of_its_fields() -> None:
    boat = Boat(ObjectMeta(generate_name="b-"), crew_size=3)
    assert body(requests.create(TYPED, boat, "ns", PLAINLY)) == {
        "apiVersion": "sea.example.org/v1",
        "kind": "Boat",
        "metadata": {"generateName": "b-"},
        "crewSize": 3,
    }


def test_create_of_bytes_sends_these_bytes() -> None:
    raw = b'{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"x"} }'
    request = requests.create(CONFIGS.raw, msgspec.Raw(raw), None, PLAINLY)
    assert request.body == raw
    assert request.path == "/api/v1/namespaces/x/configmaps"


def test_create_does_not_touch_the_object_of_the_caller() -> None:
    obj: dict[str, Any] = {"metadata": {"name": "a"}}
    requests.create(CONFIGS, obj, "ns", PLAINLY)
    assert obj == {"metadata": {"name": "a"}}


def test_update_names_the_object_in_the_path() -> None:
    obj = {"metadata": {"name": "a", "namespace": "ns", "resourceVersion": "3"}}
    request = requests.update(CONFIGS, obj, None, PLAINLY)
    assert (request.method, request.path) == ("PUT", "/api/v1/namespaces/ns/configmaps/a")
    assert not request.repeatable
    assert requests.update(CONFIGS, obj, None, PLAINLY, "status").path.endswith("/a/status")


def test_how_to_write_becomes_parameters() -> None:
    writing = Writing("me", dry_run=True, validation="Strict")
    expected = {"fieldManager": "me", "dryRun": "All", "fieldValidation": "Strict"}
    obj = {"metadata": {"name": "a"}}
    assert requests.create(CONFIGS, obj, "ns", writing).query == expected
    assert requests.update(CONFIGS, obj, "ns", writing).query == expected
    assert requests.patch(CONFIGS, "a", patches.merge({}), "ns", writing).query == expected


@pytest.mark.parametrize(
    ("change", "media", "sent"),
    [
        (patches.merge({"a": None}), "application/merge-patch+json", {"a": None}),
        (
            patches.strategic({"a": [1]}),
            "application/strategic-merge-patch+json",
            {"a": [1]},
        ),
        (
            patches.json([{"op": "remove", "path": "/a"}]),
            "application/json-patch+json",
            [{"op": "remove", "path": "/a"}],
        ),
        (
            patches.apply({"data": {"a": "b"}}),
            "application/apply-patch+yaml",
            {"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "b"}},
        ),
    ],
    ids=["merge", "strategic", "json", "apply"],
)
def test_each_patch_has_its_media_type(change: patches.Patch, media: str, sent: Any) -> None:
    request = requests.patch(CONFIGS, "a", change, "ns", PLAINLY)
    assert (request.method, request.path) == ("PATCH", "/api/v1/namespaces/ns/configmaps/a")
    assert request.media == media
    assert body(request) == sent


def test_apply_says_whether_it_takes_fields_from_others() -> None:
    wanted = {"metadata": {"name": "a"}}
    plainly = requests.patch(CONFIGS, "a", patches.apply(wanted), "ns", Writing("me"))
    assert plainly.query == {"fieldManager": "me", "force": "false"}
    forced = requests.patch(CONFIGS, "a", patches.apply(wanted, force=True), "ns", PLAINLY)
    assert forced.query == {"force": "true"}


def test_apply_takes_typed_objects() -> None:
    change = patches.apply(Boat(ObjectMeta(name="b"), 4))
    assert body(requests.patch(TYPED, "b", change, "ns", PLAINLY, "status")) == {
        "apiVersion": "sea.example.org/v1",
        "kind": "Boat",
        "metadata": {"name": "b"},
        "crewSize": 4,
    }


@pytest.mark.parametrize(
    ("change", "may_be_sent_twice"),
    [
        (patches.merge({"data": {}}), True),
        (patches.merge({"metadata": {"resourceVersion": "3"}}), False),
        (patches.merge({"metadata": None}), True),
        (patches.strategic({"metadata": {"resourceVersion": "3"}}), False),
        (patches.strategic({}), True),
        (patches.apply({"metadata": {"name": "a"}}), True),
        (patches.apply({"metadata": {"name": "a", "resourceVersion": "3"}}), False),
        (patches.json([]), False),
    ],
)
def test_which_patches_may_be_sent_twice(change: patches.Patch, may_be_sent_twice: bool) -> None:
    request = requests.patch(CONFIGS, "a", change, "ns", PLAINLY)
    assert request.repeatable is may_be_sent_twice


def test_delete_as_usual_has_no_body() -> None:
    request = requests.delete(CONFIGS, "a", "ns", AS_USUAL)
    assert request == Request("DELETE", "/api/v1/namespaces/ns/configmaps/a")


def test_delete_with_everything() -> None:
    deletion = Deletion("u", "7", "Foreground", 0, dry_run=True)
    assert body(requests.delete(CONFIGS, "a", "ns", deletion)) == {
        "kind": "DeleteOptions",
        "apiVersion": "v1",
        "preconditions": {"uid": "u", "resourceVersion": "7"},
        "propagationPolicy": "Foreground",
        "gracePeriodSeconds": 0,
        "dryRun": ["All"],
    }


def test_a_delete_may_be_sent_twice_only_where_it_names_the_one_that_is_meant() -> None:
    assert requests.delete(CONFIGS, "a", "ns", Deletion(uid="u")).repeatable
    assert not requests.delete(CONFIGS, "a", "ns", Deletion(resource_version="3")).repeatable
    assert not requests.delete_collection(CONFIGS, EVERYTHING, Deletion(uid="u")).repeatable


def test_delete_collection_has_selectors_in_the_query_and_options_in_the_body() -> None:
    selection = Selection("ns", labels="a=b")
    request = requests.delete_collection(CONFIGS, selection, Deletion(propagation="Orphan"))
    assert (request.method, request.path) == ("DELETE", "/api/v1/namespaces/ns/configmaps")
    assert request.query == {"labelSelector": "a=b"}
    assert body(request)["propagationPolicy"] == "Orphan"


@pytest.mark.parametrize("text", ["", ".", "..", "a/b", "../x", "/"])
@pytest.mark.parametrize(
    "make",
    [
        lambda text: requests.get(CONFIGS, text, "ns"),
        lambda text: requests.get(CONFIGS, "a", text),
        lambda text: requests.page(CONFIGS, Selection(text), 1),
        lambda text: requests.watch(CONFIGS, Selection(text), Following()),
        lambda text: requests.delete(CONFIGS, text, "ns", AS_USUAL),
        lambda text: requests.delete_collection(CONFIGS, Selection(text), AS_USUAL),
        lambda text: requests.patch(CONFIGS, text, patches.merge({}), "ns", PLAINLY),
        lambda text: requests.update(CONFIGS, {"metadata": {"name": text}}, "ns", PLAINLY),
    ],
)
def test_a_name_that_leads_elsewhere_is_refused(make: Callable[[str], Request], text: str) -> None:
    with pytest.raises(ValueError, match=r"is no (name|namespace) of an object"):
        make(text)


@given(st.text(min_size=1).filter(lambda text: text not in (".", "..") and "/" not in text))
def test_any_other_name_stays_one_segment_of_the_path(name: str) -> None:
    try:
        name.encode()
    except UnicodeEncodeError:
        return
    segments = requests.get(NODES, name, None).path.split("/")
    assert len(segments) == 5
    assert unquote(segments[-1]) == name
    assert segments[-1] == quote(name, safe="")
    assert segments[-1].isascii()


def test_names_that_need_quoting() -> None:
    roles = plain("rbac.authorization.k8s.io/v1", "ClusterRole", "clusterroles", namespaced=False)
    assert requests.get(roles, "system:node?x#y%z é", None).path.endswith(
        "/clusterroles/system%3Anode%3Fx%23y%25z%20%C3%A9"
    )


def test_a_namespace_is_needed_for_what_is_in_one() -> None:
    with pytest.raises(ValueError, match="are in namespaces"):
        requests.get(CONFIGS, "a", None)
    with pytest.raises(ValueError, match=r"metadata\.namespace is needed"):
        requests.create(CONFIGS, {"metadata": {"name": "a"}}, None, PLAINLY)
    with pytest.raises(ValueError, match="are in namespaces"):
        requests.update(CONFIGS, {"metadata": {"name": "a"}}, None, PLAINLY)


@pytest.mark.parametrize(
    "make",
    [
        lambda: requests.get(NODES, "a", "ns"),
        lambda: requests.page(NODES, Selection("ns"), 1),
        lambda: requests.create(NODES, {"metadata": {"name": "a"}}, "ns", PLAINLY),
    ],
)
def test_a_namespace_is_refused_for_what_is_in_none(make: Callable[[], Request]) -> None:
    with pytest.raises(ValueError, match="nodes are in no namespace"):
        make()


@pytest.mark.parametrize("obj", [{}, {"metadata": None}, {"metadata": {}}])
def test_an_object_without_a_name_can_not_be_updated(obj: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="'' is no name"):
        requests.update(CONFIGS, obj, "ns", PLAINLY)


def test_partial_metadata_can_be_written_too() -> None:
    meta = Partial(metadata=ObjectMeta(name="a", namespace="ns", labels={"a": "b"}))
    sent = body(requests.update(CONFIGS.partial, meta, None, PLAINLY))
    assert sent["kind"] == "ConfigMap"
    assert sent["metadata"] == {"name": "a", "namespace": "ns", "labels": {"a": "b"}}


def test_the_method_tells_what_writes_unless_the_request_does() -> None:
    assert not requests.get(CONFIGS, "a", "ns").is_write
    assert requests.delete(CONFIGS, "a", "ns", AS_USUAL).is_write
    assert Request("GET", "/x", writes=True).is_write
    assert not Request("POST", "/x", writes=False).is_write


def test_a_request_does_not_show_its_body() -> None:
    request = requests.create(CONFIGS, {"data": {"password": "hunter2"}}, "ns", PLAINLY)
    assert "hunter2" not in repr(request)
    assert "hunter2" in repr(msgspec.structs.astuple(request))
