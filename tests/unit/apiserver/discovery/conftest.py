"""A catalog of built-in and custom resources, and requests that ask about them."""

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from kedge.apiserver.catalog import builtin_resources
from kedge.apiserver.discovery.versions import storage_hash
from kedge.apiserver.http.accept import Accept
from kedge.apiserver.http.path import target_of
from kedge.apiserver.kinds.table import builtin
from kedge.apiserver.resource import Resource, Strategy, Subresource
from kedge.kube.schema import Schema

VERBS = ("delete", "deletecollection", "get", "list", "patch", "create", "update", "watch")
STATUS = Subresource("status", "Bar", verbs=("get", "patch", "update"))
SCALE = Subresource("scale", "Scale", "autoscaling", "v1", ("get", "patch", "update"))


def bars(version: str, *subresources: Subresource, group: str = "tz.io") -> Resource:
    """Make a custom resource."""
    return Resource(
        group,
        version,
        "Bar",
        "bars",
        "bar",
        True,
        VERBS,
        Schema(),
        Strategy(),
        ("ba",),
        ("all",),
        "BarList",
        {one.name: one for one in subresources},
        storage_hash(group, "v1", "Bar"),
        custom=True,
    )


class Catalog:
    """Resources that can change."""

    def __init__(self, resources: list[Resource]) -> None:
        self.resources = resources
        self.revision = 1

    def __iter__(self) -> Iterator[Resource]:
        return iter(self.resources)

    def put(self, *resources: Resource) -> None:
        """Serve more."""
        self.resources += resources
        self.revision += 1


@pytest.fixture
def catalog() -> Catalog:
    return Catalog(
        builtin_resources(builtin(), lambda *names: Strategy(), lambda *names: None),
    )


@pytest.fixture
def ask() -> Callable[..., Any]:
    """Make an exchange for a path with these headers."""

    def make(path: str, method: str = "GET", **headers: str) -> Any:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return SimpleNamespace(
            target=target_of(method, path),
            request=SimpleNamespace(headers=named, method=method),
            accept=Accept(),
        )

    return make
