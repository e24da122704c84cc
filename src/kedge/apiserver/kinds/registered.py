"""Which kinds a real server can read, served or not: for the words with which it refuses a body."""

from functools import cache
from pathlib import Path

import msgspec

from kedge.kube.gotext import quote

DATA = Path(__file__).with_name("registered.json")
SCHEME = "pkg/runtime/scheme.go:110"
"""The name of every scheme in a server built from Go modules: where it was made."""
SHARED = "*"
"""Kinds that every version of every group has."""
_APART = {"apiextensions.k8s.io", "apiregistration.k8s.io"}
_UNVERSIONED = {"APIGroup", "APIGroupList", "APIResourceList", "APIVersions", "Status"}
"""Kinds that are the same in any version, even one that does not exist."""


@cache
def _kinds() -> dict[str, frozenset[str]]:
    read = msgspec.json.decode(DATA.read_bytes(), type=dict[str, list[str]])
    return {version: frozenset(kinds) for version, kinds in read.items()}


def is_registered(api_version: str, kind: str, group: str) -> bool:
    """Whether the part of a real server that serves `group` can read this kind.

    CRDs and APIServices are served by parts of their own, which know nothing of the other kinds.
    With `SHARED` as the group only what all parts know counts.
    """
    if kind in _UNVERSIONED:
        return True
    theirs = api_version.partition("/")[0] if "/" in api_version else ""
    is_shared = kind in _kinds()[SHARED]
    if theirs != group and (group in _APART or theirs in _APART or group == SHARED):
        return is_shared and api_version in {"v1", "meta.k8s.io/v1"}
    found = _kinds().get(api_version)
    return found is not None and (is_shared or kind in found)


def no_conversion(version: str, kind: str, target: str) -> str:
    """Say in Go's words that a kind can not become another; `target` is `core.ConfigMap`."""
    package = "v1" if kind in _kinds()[SHARED] else version
    return f"converting ({package}.{kind}) to ({target}): unknown conversion"


def not_registered(api_version: str, kind: str) -> str:
    """Say in Go's words that nobody knows a kind."""
    what, where = quote(kind), quote(api_version)
    return f'no kind {what} is registered for version {where} in scheme "{SCHEME}"'


def not_registered_internally(group: str, kind: str) -> str:
    """Say in Go's words that a group has no such kind in any version."""
    what, where = quote(kind), quote(group)
    told = f"no kind {what} is registered for the internal version of group {where}"
    return f'{told} in scheme "{SCHEME}"'


def go_package(group: str) -> str:
    """Name the Go package of the internal types of a group, as messages about conversions do."""
    if group == "events.k8s.io" or not group:
        return "core"
    return group.partition(".")[0]
