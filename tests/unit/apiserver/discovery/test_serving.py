"""Discovery tells what is served, in the form that was asked for."""

import json
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from kedge.apiserver.discovery import Discovery
from kedge.apiserver.http.accept import JSON, YAML
from kedge.kube.errors import MethodNotAllowed, NotAcceptable, NotFound

from .conftest import SCALE, STATUS, VERBS, Catalog, bars

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
OLDER = "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList"
Ask = Callable[..., Any]


@pytest.fixture
def discovery(catalog: Catalog) -> Discovery:
    catalog.put(
        bars("v1beta1"),
        bars("v1", STATUS, SCALE),
        bars("v10"),
        bars("foo1"),
        bars("v1", group="aaa.io"),
    )
    return Discovery(catalog, lambda: "10.1.2.3:6443")


def read(discovery: Discovery, exchange: Any) -> Any:
    reply = discovery(exchange)
    assert reply is not None
    assert reply.code == 200
    return json.loads(reply.body)


def test_the_core_group_is_told_at_its_own_path(discovery: Discovery, ask: Ask) -> None:
    assert read(discovery, ask("/api/")) == {
        "kind": "APIVersions",
        "versions": ["v1"],
        "serverAddressByClientCIDRs": [
            {"clientCIDR": "0.0.0.0/0", "serverAddress": "10.1.2.3:6443"}
        ],
    }
    listed = read(discovery, ask("/api/v1"))
    assert list(listed) == ["kind", "groupVersion", "resources"]
    assert [row["name"] for row in listed["resources"]][:3] == [
        "bindings",
        "componentstatuses",
        "configmaps",
    ]


def test_custom_groups_follow_in_the_order_of_their_services(
    discovery: Discovery, ask: Ask
) -> None:
    names = [group["name"] for group in read(discovery, ask("/apis"))["groups"]]
    assert names[:2] == ["apiregistration.k8s.io", "apps"]
    assert names[-2:] == ["tz.io", "aaa.io"]  # foo1.tz.io comes before v1.aaa.io
    items = read(discovery, ask("/apis", Accept=AGGREGATED))["items"]
    assert [item["metadata"]["name"] for item in items][-2:] == ["aaa.io", "tz.io"]


def test_a_group_tells_its_preferred_version_first(discovery: Discovery, ask: Ask) -> None:
    group = read(discovery, ask("/apis/tz.io"))
    assert [version["version"] for version in group["versions"]] == ["v10", "v1", "v1beta1", "foo1"]
    assert group["preferredVersion"] == {"groupVersion": "tz.io/v10", "version": "v10"}
    scaling = read(discovery, ask("/apis/autoscaling"))
    assert scaling["preferredVersion"]["version"] == "v2"


def test_a_version_lists_resources_and_subresources(discovery: Discovery, ask: Ask) -> None:
    assert read(discovery, ask("/apis/tz.io/v1")) == {
        "kind": "APIResourceList",
        "apiVersion": "v1",
        "groupVersion": "tz.io/v1",
        "resources": [
            {
                "name": "bars",
                "singularName": "bar",
                "namespaced": True,
                "kind": "Bar",
                "verbs": list(VERBS),
                "shortNames": ["ba"],
                "categories": ["all"],
                "storageVersionHash": "2NOxcQtupJ8=",
            },
            {
                "name": "bars/status",
                "singularName": "",
                "namespaced": True,
                "kind": "Bar",
                "verbs": ["get", "patch", "update"],
            },
            {
                "name": "bars/scale",
                "singularName": "",
                "namespaced": True,
                "group": "autoscaling",
                "version": "v1",
                "kind": "Scale",
                "verbs": ["get", "patch", "update"],
            },
        ],
    }


def test_aggregated_discovery_tells_all_in_one(discovery: Discovery, ask: Ask) -> None:
    reply = discovery(ask("/apis", Accept=f"{AGGREGATED},{OLDER},application/json"))
    assert reply is not None
    assert reply.media == AGGREGATED
    assert (reply.headers["Vary"], reply.headers["Cache-Control"]) == ("Accept", "public")
    document = json.loads(reply.body)
    assert document["apiVersion"] == "apidiscovery.k8s.io/v2"
    versions = document["items"][-1]["versions"]
    assert [version["version"] for version in versions] == ["v10", "v1", "v1beta1", "foo1"]
    entry = versions[1]["resources"][0]
    assert entry["responseKind"] == {"group": "tz.io", "version": "v1", "kind": "Bar"}
    assert [one["responseKind"]["group"] for one in entry["subresources"]] == [
        "tz.io",
        "autoscaling",
    ]
    builtin_entry = document["items"][1]["versions"][0]["resources"][0]
    assert builtin_entry["responseKind"] == {
        "group": "",
        "version": "",
        "kind": "ControllerRevision",
    }


def test_clients_that_know_older_forms_get_the_plain_one(discovery: Discovery, ask: Ask) -> None:
    document = read(discovery, ask("/apis", Accept=f"{OLDER},application/json"))
    assert document["kind"] == "APIGroupList"


def test_a_known_tag_is_answered_in_short_until_something_changes(
    discovery: Discovery, catalog: Catalog, ask: Ask
) -> None:
    first = discovery(ask("/apis", Accept=AGGREGATED))
    assert first is not None
    tag = first.headers["ETag"]
    again = discovery(ask("/apis", Accept=AGGREGATED, If_None_Match=tag))
    assert again is not None
    assert (again.code, again.body) == (304, b"")
    catalog.put(bars("v1", group="zzz.io"))
    changed = discovery(ask("/apis", Accept=AGGREGATED, If_None_Match=tag))
    assert changed is not None
    assert changed.code == 200
    assert b"zzz.io" in changed.body
    assert changed.headers["ETag"] != tag


def test_yaml_is_given_to_those_who_ask_for_it(discovery: Discovery, ask: Ask) -> None:
    exchange = ask("/apis/apps", Accept="application/yaml")
    assert discovery(exchange) is not None
    assert exchange.accept.media == YAML
    reply = discovery(ask("/api", Accept=AGGREGATED.replace("json", "yaml")))
    assert reply is not None
    assert yaml.safe_load(reply.body)["kind"] == "APIGroupDiscoveryList"


@pytest.mark.parametrize("path", ["/api", "/apis", "/apis/apps", "/apis/apps/v1"])
def test_nothing_else_is_given(discovery: Discovery, ask: Ask, path: str) -> None:
    with pytest.raises(NotAcceptable):
        discovery(ask(path, Accept="text/plain"))
    with pytest.raises(NotAcceptable, match="only the following media types are accepted"):
        discovery(ask(path, Accept=OLDER))
    exchange = ask(path, Accept="text/html,*/*;q=0.8")
    assert discovery(exchange) is not None
    assert exchange.accept.media == JSON


def test_lists_of_resources_are_refused_in_a_routers_words(discovery: Discovery, ask: Ask) -> None:
    with pytest.raises(NotAcceptable, match="406: Not Acceptable\n\nAvailable representations: "):
        discovery(ask("/apis/apps/v1", Accept="text/plain"))


@pytest.mark.parametrize("path", ["/api", "/api/v1", "/apis/apps/v1"])
def test_what_is_behind_a_router_takes_no_other_method(
    discovery: Discovery, ask: Ask, path: str
) -> None:
    with pytest.raises(MethodNotAllowed):
        discovery(ask(path, "HEAD"))


@pytest.mark.parametrize("path", ["/apis", "/apis/apps", "/apis/"])
def test_groups_are_told_whatever_the_method(discovery: Discovery, ask: Ask, path: str) -> None:
    assert discovery(ask(path, "POST")) is not None


@pytest.mark.parametrize("path", ["/apis/apps/v9", "/api/v2"])
def test_an_unknown_version_of_a_built_in_group_is_not_found(
    discovery: Discovery, ask: Ask, path: str
) -> None:
    with pytest.raises(NotFound, match="could not find the requested resource"):
        discovery(ask(path))


@pytest.mark.parametrize(
    "path", ["/apis/nowhere", "/apis/tz.io/v99", "/version", "/apis/apps/v1/x", "/openapi/v2"]
)
def test_other_paths_are_left_to_others(discovery: Discovery, ask: Ask, path: str) -> None:
    assert discovery(ask(path)) is None


def test_all_paths_are_listed(discovery: Discovery) -> None:
    paths = discovery.paths()
    assert {"/api/v1", "/apis/apps", "/apis/apps/v1", "/apis/tz.io/v10"} <= set(paths)
