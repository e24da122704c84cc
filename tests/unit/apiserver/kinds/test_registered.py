"""Kinds that a real server can read are told from those that nobody knows."""

import pytest

from kedge.apiserver.kinds.registered import go_package, is_registered, no_conversion


@pytest.mark.parametrize(
    ("api_version", "kind", "group", "expected"),
    [
        ("v1", "Pod", "", True),
        ("v1", "List", "", True),
        ("apps/v1beta1", "Deployment", "", True),
        ("apps/v1", "Pod", "", False),
        ("example.com/v1", "Pod", "", False),
        ("batch/v1", "DeleteOptions", "", True),
        ("nowhere/v9", "Status", "", True),
        ("v1", "ConfigMap", "apiextensions.k8s.io", False),
        ("apiextensions.k8s.io/v1beta1", "CustomResourceDefinition", "apiextensions.k8s.io", True),
        ("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", False),
        ("v1", "ConfigMap", "*", False),
        ("v1", "ListOptions", "*", True),
    ],
)
def test_each_part_of_a_server_knows_its_own_kinds(
    api_version: str, kind: str, group: str, expected: bool
) -> None:
    assert is_registered(api_version, kind, group) is expected


@pytest.mark.parametrize(
    ("group", "package"),
    [
        ("", "core"),
        ("apps", "apps"),
        ("rbac.authorization.k8s.io", "rbac"),
        ("events.k8s.io", "core"),
        ("flowcontrol.apiserver.k8s.io", "flowcontrol"),
    ],
)
def test_internal_types_live_in_the_package_of_their_group(group: str, package: str) -> None:
    assert go_package(group) == package


def test_shared_kinds_are_of_the_meta_package_whatever_their_version() -> None:
    assert no_conversion("v9", "Status", "core.Secret") == (
        "converting (v1.Status) to (core.Secret): unknown conversion"
    )
