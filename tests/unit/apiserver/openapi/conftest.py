"""A catalog of built-in and custom resources, and requests that ask for their documents."""

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from kedge.apiserver.catalog import builtin_resources
from kedge.apiserver.http.path import target_of
from kedge.apiserver.http.query import Query
from kedge.apiserver.kinds.table import builtin
from kedge.apiserver.resource import Resource, Strategy, Subresource
from kedge.kube.schema import Schema

SUB_VERBS = ("get", "patch", "update")
FRAGMENT = {
    "description": "a thing",
    "type": "object",
    "properties": {"spec": {"type": "object", "properties": {"size": {"type": "integer"}}}},
}


def bars(group: str = "tz.io", version: str = "v1") -> Resource:
    """Make a custom resource."""
    return Resource(
        group,
        version,
        "Bar",
        "bars",
        "bar",
        True,
        ("delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"),
        Schema(),
        Strategy(),
        list_kind="BarList",
        subresources={
            "status": Subresource("status", "Bar", verbs=SUB_VERBS),
            "scale": Subresource("scale", "Scale", "autoscaling", "v1", SUB_VERBS),
        },
        custom=True,
    )


class Catalog:
    """Resources that can change."""

    def __init__(self, resources: list[Resource]) -> None:
        self.resources = resources
        self.revision = 1

    def __iter__(self) -> Iterator[Resource]:
        return iter(self.resources)


@pytest.fixture(scope="session")
def builtins() -> list[Resource]:
    return builtin_resources(builtin(), lambda *names: Strategy(), lambda *names: None)


@pytest.fixture
def catalog(builtins: list[Resource]) -> Catalog:
    return Catalog([*builtins, bars()])


@pytest.fixture
def ask() -> Callable[..., Any]:
    """Make an exchange for a path with these headers."""

    def make(path: str, **headers: str) -> Any:
        plain, _, query = path.partition("?")
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return SimpleNamespace(
            target=target_of("GET", plain),
            query=Query(query),
            request=SimpleNamespace(headers=named),
        )

    return make
