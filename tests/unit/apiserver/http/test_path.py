import pytest

from kedge.apiserver.http.path import target_of

CASES = [
    ("GET", "/api/v1/pods", ("list", "", "v1", "", "pods", "", "")),
    ("GET", "/api/v1/namespaces/a/pods", ("list", "", "v1", "a", "pods", "", "")),
    ("GET", "/api/v1/namespaces/a/pods/p", ("get", "", "v1", "a", "pods", "p", "")),
    ("GET", "/api/v1/namespaces/a/pods/p/log", ("get", "", "v1", "a", "pods", "p", "log")),
    (
        "POST",
        "/apis/apps/v1/namespaces/a/deployments",
        ("create", "apps", "v1", "a", "deployments", "", ""),
    ),
    ("DELETE", "/api/v1/namespaces/a/pods", ("deletecollection", "", "v1", "a", "pods", "", "")),
    ("DELETE", "/api/v1/namespaces/a", ("delete", "", "v1", "a", "namespaces", "a", "")),
    (
        "PUT",
        "/api/v1/namespaces/a/finalize",
        ("update", "", "v1", "a", "namespaces", "a", "finalize"),
    ),
    ("PATCH", "/api/v1/nodes/n/status", ("patch", "", "v1", "", "nodes", "n", "status")),
    ("GET", "/api/v1/watch/namespaces/a/pods", ("watch", "", "v1", "a", "pods", "", "")),
    ("GET", "/api/v1/namespaces/a/pods/x%2Fy", ("get", "", "v1", "a", "pods", "x/y", "")),
]


@pytest.mark.parametrize(("method", "path", "expected"), CASES)
def test_a_path_says_what_is_meant(method: str, path: str, expected: tuple[str, ...]) -> None:
    target = target_of(method, path)
    found = (
        target.verb,
        target.group,
        target.version,
        target.namespace,
        target.plural,
        target.name,
        target.subresource,
    )
    assert found == expected


@pytest.mark.parametrize("path", ["/", "/version", "/api", "/api/v1", "/apis/apps/v1", "/healthz"])
def test_a_path_without_a_resource_is_a_plain_one(path: str) -> None:
    assert not target_of("GET", path).is_resource


def test_watch_is_a_verb_of_its_own() -> None:
    assert target_of("GET", "/api/v1/pods", watch=True).verb == "watch"
