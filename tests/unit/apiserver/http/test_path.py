import pytest

from kedge.apiserver.http.path import PathError, target_of

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
    ("GET", "/api/v1//pods", ("get", "", "v1", "", "", "pods", "")),
    ("HEAD", "/api/v1/pods", ("list", "", "v1", "", "pods", "", "")),
    ("TRACE", "/api/v1/pods", ("", "", "v1", "", "pods", "", "")),
    ("POST", "/api/v1/watch/pods", ("watch", "", "v1", "", "pods", "", "")),
    ("GET", "/api/v1/watch/namespaces/a/pods", ("watch", "", "v1", "a", "pods", "", "")),
    ("GET", "/api/v1/namespaces/a/pods/x%2Fy", ("get", "", "v1", "a", "pods", "x", "y")),
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


def test_a_named_object_is_got_though_the_query_says_watch() -> None:
    assert target_of("GET", "/api/v1/namespaces/a/pods/p", watch=True).verb == "get"


def test_a_namespace_is_not_within_itself() -> None:
    assert not target_of("GET", "/api/v1/namespaces/a").is_nested
    assert target_of("GET", "/api/v1/namespaces/a/namespaces").is_nested


def test_a_verb_in_the_path_needs_a_resource() -> None:
    with pytest.raises(PathError) as caught:
        target_of("GET", "/api/v1/watch")
    assert caught.value.text("/api/v1/watch?x") == (
        'Internal Server Error: "/api/v1/watch?x": failed to create RequestInfo: '
        "unable to determine kind and namespace from url, /api/v1/watch?x\n"
    )
