from typing import Any

import pytest

from kedge.apiserver.catalog import builtin_resources
from kedge.apiserver.http.path import target_of
from kedge.apiserver.kinds.table import builtin
from kedge.apiserver.registry import Registry
from kedge.apiserver.resource import Strategy
from kedge.apiserver.routing import NoSuchPath, Router
from kedge.kube.errors import BadRequest, MethodNotAllowed, NotFound
from tests.unit.apiserver.crd.samples import served

CUSTOM = "/apis/example.com/v1"


async def verb(call: Any) -> Any:
    """Stand for any verb."""


@pytest.fixture(scope="module")
def router() -> Router:
    registry = Registry(
        builtin_resources(builtin(), lambda *names: Strategy(), lambda *names: None)
    )
    registry.put_crd("things.example.com", served())
    names = ("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection")
    return Router(registry, dict.fromkeys(names, verb), {"status": {"*": verb}})


def find(router: Router, method: str, path: str, watch: bool = False) -> str:
    return router.find(target_of(method, path, watch), method)[0].plural


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/v1/configmaps"),
        ("GET", "/api/v1/namespaces/a/configmaps/x"),
        ("GET", "/api/v1/namespaces/a"),
        ("GET", "/api/v1/watch/configmaps"),
        ("GET", "/api/v1/watch/namespaces/a/configmaps/x"),
        ("PATCH", "/apis/apps/v1/namespaces/a/deployments/x/status"),
        ("HEAD", f"{CUSTOM}/namespaces/a/things/x"),
        ("POST", f"{CUSTOM}/namespaces/a/things/x"),
        ("GET", f"{CUSTOM}/things"),
    ],
)
def test_a_path_that_is_served_leads_to_its_resource(
    router: Router, method: str, path: str
) -> None:
    assert find(router, method, path) in path


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/v1/configmaps/x"),
        ("GET", "/api/v1/namespaces/a/nodes"),
        ("GET", "/api/v1/namespaces/a/namespaces"),
        ("GET", "/api/v1/namespaces/a/configmaps/x/status"),
        ("GET", "/api/v1/namespaces/a/pods/x/status/more"),
        ("GET", "/api/v1/nope"),
        ("GET", "/api/v2/x/y"),
        ("GET", "/api/v1//x"),
        ("GET", "/api/v1/proxy/namespaces/a/pods/x"),
        ("GET", "/apis/authorization.k8s.io/v1/subjectaccessreviews/x"),
    ],
)
def test_what_the_router_does_not_know_is_not_found(router: Router, method: str, path: str) -> None:
    with pytest.raises(NotFound, match="could not find the requested resource"):
        find(router, method, path)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("HEAD", "/api/v1/configmaps"),
        ("POST", "/api/v1/configmaps"),
        ("DELETE", "/api/v1/configmaps"),
        ("PUT", "/api/v1/namespaces/a/configmaps"),
        ("POST", "/api/v1/namespaces/a/configmaps/x"),
        ("POST", "/api/v1/watch/configmaps"),
        ("TRACE", "/api/v1/nodes"),
        ("GET", "/apis/authorization.k8s.io/v1/subjectaccessreviews"),
    ],
)
def test_a_method_that_a_path_does_not_have_is_refused(
    router: Router, method: str, path: str
) -> None:
    with pytest.raises(MethodNotAllowed, match="does not allow this method"):
        find(router, method, path)


def test_a_list_that_can_not_be_watched_says_so(router: Router) -> None:
    with pytest.raises(MethodNotAllowed, match=r'watch is not supported on .* "componentstatuses"'):
        find(router, "GET", "/api/v1/componentstatuses", watch=True)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", f"{CUSTOM}/things/x"),
        ("POST", f"{CUSTOM}/things"),
        ("GET", f"{CUSTOM}/nope"),
        ("GET", "/apis/example.com/v9/things"),
        ("GET", "/apis/nowhere.io/v1/things"),
    ],
)
def test_what_no_custom_kind_serves_is_plain_text(router: Router, method: str, path: str) -> None:
    with pytest.raises(NoSuchPath):
        find(router, method, path)


def test_custom_kinds_have_words_of_their_own(router: Router) -> None:
    with pytest.raises(NotFound, match=r'things\.example\.com "x" not found'):
        find(router, "GET", f"{CUSTOM}/namespaces/a/things/x/nope")
    with pytest.raises(MethodNotAllowed, match=r'^ is not supported on .* "things.example.com"'):
        find(router, "OPTIONS", f"{CUSTOM}/namespaces/a/things")
    with pytest.raises(BadRequest, match="name must be provided"):
        find(router, "PUT", f"{CUSTOM}/namespaces/a/things")


@pytest.mark.parametrize("name", ["..", ".", "a%25b"])
def test_a_name_that_is_no_part_of_a_path_is_refused(router: Router, name: str) -> None:
    with pytest.raises(BadRequest, match="Name parameter invalid"):
        find(router, "GET", f"/api/v1/namespaces/a/configmaps/{name}")
