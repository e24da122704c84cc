"""Asks the server who we are, and who may do what. Pure: questions as requests, answers read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from kedge.client.requests import Request
from kedge.client.responses import Response, read
from kedge.kube.kind import Kind

SHORT_GROUPS: Final = frozenset({"apps", "autoscaling", "batch", "extensions", "policy"})
"""The groups without a dot; there will be no more of them."""


@dataclass(frozen=True, slots=True)
class User:
    """Somebody that the server knows."""

    name: str
    groups: Sequence[str] = ()
    uid: str = ""
    extra: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether somebody may; true where they may."""

    allowed: bool
    reason: str = ""
    """Why, where the server tells."""
    denied: bool = False
    """Nobody else was asked any more."""
    error: str = ""
    """What went wrong while it was decided; it may have been decided all the same."""

    def __bool__(self) -> bool:
        """Be true where they may."""
        return self.allowed


@dataclass(frozen=True, slots=True)
class Question:
    """What somebody may or may not do."""

    verb: str
    """get, list, watch, create, update, patch, delete, deletecollection, or `*` for any."""
    what: Kind[Any] | str
    """A kind, or `group/resource`, `resource` of the core group, or a path such as `/metrics`."""
    namespace: str | None = None
    """None: in all namespaces."""
    name: str = ""
    """Empty: whatever the name."""
    subresource: str = ""

    @property
    def attributes(self) -> dict[str, Any]:
        """The question as a part of a review."""
        if not self.verb:
            raise ValueError("a verb is needed, such as get, or * for any")
        if isinstance(self.what, str) and self.what.startswith("/"):
            return {"nonResourceAttributes": self._path(self.what)}
        group, version, resource = _resource(self.what)
        if isinstance(self.what, Kind) and not self.what.namespaced and self.namespace:
            raise ValueError(f"{resource} are in no namespace, so leave out {self.namespace!r}")
        given = {
            "verb": self.verb,
            "group": group,
            "version": version,
            "resource": resource,
            "subresource": self.subresource,
            "namespace": self.namespace or "",
            "name": self.name,
        }
        return {"resourceAttributes": {key: value for key, value in given.items() if value}}

    def _path(self, path: str) -> dict[str, str]:
        if self.namespace or self.name or self.subresource:
            raise ValueError(f"{path} is a path: it has no namespace, name or subresource")
        return {"path": path, "verb": self.verb}


def may_i(question: Question) -> Request:
    """Ask for ourselves."""
    return _review("authorization.k8s.io", "SelfSubjectAccessReview", question.attributes)


def may_they(user: User, question: Question) -> Request:
    """Ask for somebody else, which only few are allowed to do."""
    if not user.name and not user.groups:
        raise ValueError("a user needs a name, or groups at least")
    who: dict[str, Any] = {"user": user.name, "uid": user.uid}
    who |= {"groups": list(user.groups)} if user.groups else {}
    who |= {"extra": {key: list(values) for key, values in user.extra.items()}}
    given = {key: value for key, value in who.items() if value}
    return _review("authorization.k8s.io", "SubjectAccessReview", {**given, **question.attributes})


def who_am_i() -> Request:
    """Ask who we are."""
    return _review("authentication.k8s.io", "SelfSubjectReview", None)


def decision(response: Response) -> Decision:
    """Read whether they may."""
    status = read(response, _Access).status
    return Decision(status.allowed, status.reason, status.denied, status.evaluation_error)


def user(response: Response) -> User:
    """Read who we are."""
    info = read(response, _Self).status.user_info
    return User(info.username, tuple(info.groups or ()), info.uid, info.extra or {})


class _AccessStatus(msgspec.Struct, rename="camel"):
    allowed: bool
    denied: bool = False
    reason: str = ""
    evaluation_error: str = ""


class _Access(msgspec.Struct):
    status: _AccessStatus


class _UserInfo(msgspec.Struct):
    username: str = ""
    uid: str = ""
    groups: list[str] | None = None
    extra: dict[str, list[str]] | None = None


class _SelfStatus(msgspec.Struct, rename="camel"):
    user_info: _UserInfo


class _Self(msgspec.Struct):
    status: _SelfStatus


def _review(group: str, kind: str, spec: dict[str, Any] | None) -> Request:
    body: dict[str, Any] = {"apiVersion": f"{group}/v1", "kind": kind}
    if spec is not None:
        body["spec"] = spec
    path = f"/apis/{group}/v1/{kind.lower()}s"
    # A question that is posted: nothing is stored.
    return Request("POST", path, body=msgspec.json.encode(body), repeatable=True, writes=False)


def _resource(what: Kind[Any] | str) -> tuple[str, str, str]:
    if isinstance(what, Kind):
        return what.group, what.version, what.plural
    group, slash, resource = what.rpartition("/")
    if not resource or "/" in group or (slash and not group):
        raise ValueError(f"{what!r} is no resource: write group/resource, or resource alone")
    if group and "." not in group and group not in SHORT_GROUPS:
        raise ValueError(f"{group!r} is no group; a subresource is an argument of its own")
    return group, "", resource
