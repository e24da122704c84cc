from typing import cast

import msgspec
import pytest

from kedge.client import Client
from kedge.client.errors import Unreachable
from kedge.client.requests import Request
from kedge.client.responses import Response
from kedge.engine.discovery import Served, discover
from kedge.kube.errors import ApiError
from kedge.kube.kind import Object


class Server:
    """Answers with documents by their path."""

    def __init__(self, documents: dict[str, Object | Exception]) -> None:
        self.documents = documents
        self.asked: list[str] = []

    async def send(self, request: Request) -> Response:
        self.asked.append(request.path)
        found = self.documents.get(request.path)
        if isinstance(found, Exception):
            raise found
        if found is None:
            return Response(503, b"no endpoints")
        return Response(200, msgspec.json.encode(found))


async def served(documents: dict[str, Object | Exception]) -> Served:
    return await discover(cast("Client", Server(documents)))


def found(plural: str, kind: str, scope: str = "Namespaced", **more: object) -> Object:
    verbs = ["create", "delete", "get", "list"]
    return {
        "resource": plural,
        "responseKind": {"kind": kind},
        "scope": scope,
        "verbs": verbs,
        "singularResource": kind.lower(),
        "subresources": [{"subresource": "status"}],
        **more,
    }


def group(name: str, *versions: Object) -> Object:
    return {"metadata": {"name": name} if name else {}, "versions": list(versions)}


def version(name: str, *resources: Object, freshness: str = "Current") -> Object:
    return {"version": name, "resources": list(resources), "freshness": freshness}


def listing(*groups: Object) -> Object:
    return {"kind": "APIGroupDiscoveryList", "items": list(groups)}


CORE = listing(
    group(
        "",
        version(
            "v1",
            found("pods", "Pod", shortNames=["po"]),
            found("nodes", "Node", "Cluster", shortNames=["no"]),
            found("events", "Event", shortNames=["ev"]),
        ),
    )
)
OTHERS = listing(
    group("apps", version("v1", found("deployments", "Deployment", shortNames=["deploy"]))),
    group("events.k8s.io", version("v1", found("events", "Event", shortNames=["ev"]))),
    group(
        "autoscaling",
        version("v2", found("scalers", "Scaler")),
        version("v1", found("scalers", "Scaler"), found("oldies", "Oldie")),
    ),
    group("down.example.org", version("v1", found("boats", "Boat"), freshness="Stale")),
)


@pytest.mark.asyncio
async def test_all_resources_are_found_in_the_order_of_the_server() -> None:
    all_ = await served({"/api": CORE, "/apis": OTHERS})
    assert [f"{one} {one.kind.version} {one.preferred}" for one in all_.resources] == [
        "pods v1 True",
        "nodes v1 True",
        "events v1 True",
        "deployments.apps v1 True",
        "events.events.k8s.io v1 True",
        "scalers.autoscaling v2 True",
        "scalers.autoscaling v1 False",
        "oldies.autoscaling v1 True",
    ]
    node = all_.get("nodes")
    assert node is not None
    assert not node.kind.namespaced
    assert node.kind.name == "Node"
    assert node.kind.api_version == "v1"
    assert {"list", "get"} <= node.verbs


@pytest.mark.asyncio
async def test_each_resource_is_preferred_in_one_version() -> None:
    all_ = await served({"/api": CORE, "/apis": OTHERS})
    assert [str(one) for one in all_.preferred()].count("scalers.autoscaling") == 1
    assert [all_.get("scalers.autoscaling", name) is not None for name in ("v1", "v2", "v3")] == [
        True,
        True,
        False,
    ]
    preferred = all_.get("scalers.autoscaling")
    assert preferred is not None
    assert preferred.kind.version == "v2"


@pytest.mark.asyncio
async def test_a_group_whose_server_is_down_is_a_failure_and_nothing_else() -> None:
    all_ = await served({"/api": CORE, "/apis": OTHERS})
    (one,) = all_.failures
    assert (one.group, one.version) == ("down.example.org", "v1")
    assert all_.resolve("boats") is None


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("pods", "pods"),
        ("Pod", "pods"),
        ("po", "pods"),
        ("deploy", "deployments.apps"),
        ("deployment", "deployments.apps"),
        ("deployments.apps", "deployments.apps"),
        ("deployment.apps", "deployments.apps"),
        ("deploy.apps", "deployments.apps"),
        ("deployments.app", "deployments.apps"),
        ("events", "events"),
        ("ev", "events"),
        ("events.events.k8s.io", "events.events.k8s.io"),
        ("events.events", "events.events.k8s.io"),
        ("deployments.batch", None),
        ("nothing", None),
        ("", None),
        ("*", None),
    ],
)
@pytest.mark.asyncio
async def test_names_that_people_use(name: str, expected: str | None) -> None:
    all_ = await served({"/api": CORE, "/apis": OTHERS})
    one = all_.resolve(name)
    assert (None if one is None else str(one)) == expected


def plain(plural: str, kind: str, *, namespaced: bool = True) -> Object:
    return {
        "name": plural,
        "kind": kind,
        "namespaced": namespaced,
        "singularName": "",
        "verbs": ["create", "delete", "get", "list"],
    }


PLAIN: dict[str, Object | Exception] = {
    "/api": {"kind": "APIVersions", "versions": ["v1"]},
    "/apis": {
        "kind": "APIGroupList",
        "groups": [
            {
                "name": "apps",
                "versions": [
                    {"groupVersion": "apps/v1beta1", "version": "v1beta1"},
                    {"groupVersion": "apps/v1", "version": "v1"},
                ],
                "preferredVersion": {"groupVersion": "apps/v1", "version": "v1"},
            },
            {"name": "down", "versions": [{"groupVersion": "down/v1", "version": "v1"}]},
        ],
    },
    "/api/v1": {"resources": [plain("pods", "Pod"), plain("pods/status", "Pod")]},
    "/apis/apps/v1": {"resources": [plain("deployments", "Deployment")]},
    "/apis/apps/v1beta1": {
        "resources": [plain("deployments", "Deployment"), plain("scales", "Scale")]
    },
}


@pytest.mark.asyncio
async def test_an_older_server_is_asked_for_each_group() -> None:
    all_ = await served(PLAIN)
    assert [f"{one} {one.kind.version} {one.preferred}" for one in all_.resources] == [
        "pods v1 True",
        "deployments.apps v1 True",
        "deployments.apps v1beta1 False",
        "scales.apps v1beta1 True",
    ]
    assert [(one.group, one.version) for one in all_.failures] == [("down", "v1")]
    assert "no endpoints" in all_.failures[0].why
    assert str(all_.resolve("deployment")) == "deployments.apps"


@pytest.mark.asyncio
async def test_a_server_that_says_nothing_is_an_error() -> None:
    with pytest.raises(ApiError):
        await served({"/api": CORE})
    with pytest.raises(Unreachable):
        await served({"/api": Unreachable("no route")})


class Tagging(Server):
    """Tags what it answers, and does not send what the asker has."""

    def __init__(self, documents: dict[str, Object | Exception]) -> None:
        super().__init__(documents)
        self.codes: list[int] = []

    async def send(self, request: Request) -> Response:
        answer = await super().send(request)
        tag = f'"{hash(answer.body)}"'
        if answer.code == 200 and request.known == tag:
            answer = Response(304, b"")
        self.codes.append(answer.code)
        return Response(answer.code, answer.body, {"etag": tag})


@pytest.mark.asyncio
async def test_what_is_known_is_not_sent_again() -> None:
    config, jobs = found("configmaps", "ConfigMap"), found("jobs", "Job")
    server = Tagging({"/api": listing(group("", version("v1", config))), "/apis": listing()})
    asker = cast("Client", server)
    first = await discover(asker)
    assert await discover(asker) == first
    assert server.codes == [200, 200, 304, 304]
    server.documents["/apis"] = listing(group("batch", version("v1", jobs)))
    assert (await discover(asker)).get("jobs.batch") is not None
    assert server.codes[4:] == [304, 200]
    del server.documents["/api"]
    with pytest.raises(ApiError):
        await discover(asker)
    server.documents["/api"] = listing(group("", version("v1", config)))
    assert (await discover(asker)).get("configmaps") is not None


@pytest.mark.asyncio
async def test_each_server_is_asked_by_what_it_has_said_itself() -> None:
    servers = [Tagging({"/api": listing(), "/apis": listing()}) for _ in range(2)]
    for server in servers:
        await discover(cast("Client", server))
        assert server.codes == [200, 200]
