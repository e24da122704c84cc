"""Verbs as requests: what to send, and whether it may be sent twice. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, TypeVar

import msgspec

from kedge.client.patches import APPLY, Patch
from kedge.kube.kind import Kind, Object, name_of
from kedge.kube.meta import ObjectMeta

T = TypeVar("T")

JSON: Final = "application/json"
# A server that can not leave out the rest sends all: it is read in the same way.
PARTIAL: Final = f"{JSON};as=PartialObjectMetadata;g=meta.k8s.io;v=v1,{JSON}"
PARTIAL_LIST: Final = f"{JSON};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,{JSON}"
READS: Final = ("GET", "HEAD")


class Request(msgspec.Struct, frozen=True):
    """One request, ready to be sent."""

    method: str
    path: str
    query: Mapping[str, str] = msgspec.field(default_factory=dict)
    body: bytes | None = None
    media: str = JSON
    accept: str = JSON
    repeatable: bool = False
    """Sent twice it does no more than sent once, and the second answer is as good."""
    writes: bool | None = None
    """Whether it may change something, where the method says otherwise."""
    known: str = ""
    """The tag of an answer that is at hand: it need not be sent again if it is still right."""

    @property
    def is_write(self) -> bool:
        """Whether it may change something."""
        return self.method not in READS if self.writes is None else self.writes

    def __repr__(self) -> str:
        """Leave out the body: it may be secret, or long."""
        return f"Request({self.method!r}, {self.path!r}, {self.query!r})"


@dataclass(frozen=True, slots=True)
class Selection:
    """Which objects of a kind."""

    namespace: str | None = None
    """None: those of all namespaces."""
    labels: str = ""
    """A label selector, as in `kubectl get -l`."""
    fields: str = ""
    """A field selector, as in `kubectl get --field-selector`."""

    @property
    def query(self) -> dict[str, str]:
        """The selectors as parameters of a request."""
        return _given(labelSelector=self.labels, fieldSelector=self.fields)


EVERYTHING: Final = Selection()
AT_HAND: Final = "0"
"""The version of a list that may be a little old."""


@dataclass(frozen=True, slots=True)
class Writing:
    """How to write."""

    manager: str = ""
    """The name under which the fields are entered; empty: that of the client."""
    dry_run: bool = False
    """Check and answer, and store nothing."""
    validation: str = ""
    """What happens to unknown fields: Ignore, Warn or Strict; empty: what the server does."""

    @property
    def query(self) -> dict[str, str]:
        """The parameters of a request."""
        return dict(_written_how(self.manager, self.dry_run, self.validation))


@dataclass(frozen=True, slots=True)
class Deletion:
    """How to delete."""

    uid: str = ""
    """Delete this object only, not another one that has its name by now."""
    resource_version: str = ""
    """Delete this version only."""
    propagation: str = ""
    """What happens to its dependents: Background, Foreground or Orphan."""
    grace_seconds: int | None = None
    dry_run: bool = False

    @property
    def body(self) -> bytes | None:
        """The options as a body; None where there are none."""
        options: dict[str, Any] = _given(propagationPolicy=self.propagation)
        preconditions = _given(uid=self.uid, resourceVersion=self.resource_version)
        if preconditions:
            options["preconditions"] = preconditions
        if self.grace_seconds is not None:
            options["gracePeriodSeconds"] = self.grace_seconds
        if self.dry_run:
            options["dryRun"] = ["All"]
        if not options:
            return None
        return msgspec.json.encode({"kind": "DeleteOptions", "apiVersion": "v1", **options})


AS_USUAL: Final = Deletion()
PLAINLY: Final = Writing()


@dataclass(frozen=True, slots=True)
class Following:
    """From where a watch goes, and for how long."""

    version: str = ""
    """After this resourceVersion; empty: from now on, with all there is as ADDED events first."""
    seconds: int = 0
    """The server ends it after this time; 0: when it likes."""
    initial: bool = False
    """Stream what there is instead of a list; a bookmark tells where it ends."""

    @property
    def query(self) -> dict[str, str]:
        """The parameters of a request."""
        query = {"watch": "true", "allowWatchBookmarks": "true"}
        if self.initial:
            query |= {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan"}
        return query | _given(resourceVersion=self.version, timeoutSeconds=str(self.seconds or ""))


FROM_NOW: Final = Following()


def get(kind: Kind[Any], name: str, namespace: str | None) -> Request:
    """Read one object."""
    accept = PARTIAL if kind.metadata_only else JSON
    return Request("GET", kind.path(name, namespace), accept=accept, repeatable=True)


def page(
    kind: Kind[Any], selection: Selection, size: int, token: str = "", version: str = ""
) -> Request:
    """Read a page of a list; `token` is what the page before said."""
    query = selection.query | _given(
        limit=str(size or ""), resourceVersion=version, **{"continue": token}
    )
    if version not in ("", AT_HAND):
        query["resourceVersionMatch"] = "NotOlderThan"
    accept = PARTIAL_LIST if kind.metadata_only else JSON
    path = kind.collection(selection.namespace)
    return Request("GET", path, query, accept=accept, repeatable=True)


def watch(kind: Kind[Any], selection: Selection, following: Following) -> Request:
    """Follow changes."""
    query = selection.query | following.query
    accept = PARTIAL if kind.metadata_only else JSON
    path = kind.collection(selection.namespace)
    return Request("GET", path, query, accept=accept, repeatable=True)


def create(kind: Kind[T], obj: T, namespace: str | None, writing: Writing) -> Request:
    """Make an object."""
    _, own = name_of(obj)
    place = namespace or own
    if kind.namespaced and place is None:
        raise ValueError(f"{kind.plural} are in namespaces: metadata.namespace is needed")
    return Request("POST", kind.collection(place), writing.query, body_of(kind, obj))


def update(
    kind: Kind[T], obj: T, namespace: str | None, writing: Writing, subresource: str = ""
) -> Request:
    """Put an object in the place of an older version of it."""
    name, own = name_of(obj)
    path = kind.path(name, namespace or own, subresource)
    return Request("PUT", path, writing.query, body_of(kind, obj))


def put_status(kind: Kind[Any], meta: ObjectMeta, status: Object, writing: Writing) -> Request:
    """Put a status in the place of the one that an object has in this version.

    Of the object nothing else is taken from it, nor missed.
    """
    path = kind.path(meta.name, meta.namespace or None, "status")
    return Request("PUT", path, writing.query, body_of(kind, {"metadata": meta, "status": status}))


def patch(
    kind: Kind[Any],
    name: str,
    change: Patch,
    namespace: str | None,
    writing: Writing,
    subresource: str = "",
) -> Request:
    """Change a part of an object."""
    query, body = writing.query, change.body
    if change.media == APPLY:
        body = body_of(kind, msgspec.json.decode(body))
        if change.force is not None:
            query["force"] = "true" if change.force else "false"
    path = kind.path(name, namespace, subresource)
    accept = PARTIAL if kind.metadata_only else JSON
    return Request("PATCH", path, query, body, change.media, accept, change.repeatable)


def delete(kind: Kind[Any], name: str, namespace: str | None, deletion: Deletion) -> Request:
    """Delete an object; it may be sent twice where it names the one that is meant."""
    return Request(
        "DELETE", kind.path(name, namespace), body=deletion.body, repeatable=bool(deletion.uid)
    )


def delete_collection(kind: Kind[Any], selection: Selection, deletion: Deletion) -> Request:
    """Delete all objects that are selected."""
    path = kind.collection(selection.namespace)
    return Request("DELETE", path, selection.query, deletion.body)


def body_of(kind: Kind[T], obj: T) -> bytes:
    """Write an object; a typed one gets its kind."""
    if isinstance(obj, Mapping):
        head = {"apiVersion": kind.api_version, "kind": kind.name}
        return msgspec.json.encode({**head, **obj})
    if isinstance(obj, msgspec.Raw):
        return bytes(obj)
    fields = msgspec.to_builtins(obj)
    return msgspec.json.encode({**fields, "apiVersion": kind.api_version, "kind": kind.name})


@lru_cache(maxsize=128)
def _written_how(manager: str, is_dry: bool, validation: str) -> Mapping[str, str]:
    """Give the parameters of a write; those of many are the same."""
    return _given(fieldManager=manager, dryRun="All" if is_dry else "", fieldValidation=validation)


def _given(**parameters: str) -> dict[str, str]:
    return {name: value for name, value in parameters.items() if value}
