"""Versions are preferred by how stable and how new they are."""

import pytest

from kedge.apiserver.discovery import by_preference, storage_hash


def test_stable_comes_before_beta_and_alpha_and_new_before_old() -> None:
    versions = ["v1", "foo10", "v11alpha2", "v3beta1", "v10", "foo1", "v12alpha1", "v2", "v10beta3"]
    assert by_preference(versions) == [
        "v10",
        "v2",
        "v1",
        "v10beta3",
        "v3beta1",
        "v12alpha1",
        "v11alpha2",
        "foo1",
        "foo10",
    ]


@pytest.mark.parametrize(
    ("group", "kind", "expected"),
    [("", "ConfigMap", "qFsyl6wFWjQ="), ("tz.io", "Foo", "iqGADW2E1nc=")],
)
def test_the_storage_hash_is_that_of_a_real_server(group: str, kind: str, expected: str) -> None:
    assert storage_hash(group, "v1", kind) == expected
