"""All resources that a server has at this moment, and the names people give them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final
from weakref import WeakKeyDictionary

import msgspec

from kedge.aio.together import together
from kedge.client.client import Client
from kedge.client.discovery import ApiResource
from kedge.client.errors import ClientError
from kedge.client.requests import JSON, Request
from kedge.client.responses import OK, Response, check, read
from kedge.kube.errors import ApiError
from kedge.kube.foreign import cut
from kedge.kube.kind import Kind, Object

_AGGREGATED: Final = "g=apidiscovery.k8s.io;v={};as=APIGroupDiscoveryList"
ACCEPT: Final = ",".join(
    [f"{JSON};{_AGGREGATED.format(version)}" for version in ("v2", "v2beta1")] + [JSON]
)
AGGREGATED: Final = "APIGroupDiscoveryList"
ROOTS: Final = ("/api", "/apis")
STALE: Final = "Stale"
CLUSTER: Final = "Cluster"
EXTENSIONS: Final = "extensions"
TAG: Final = "etag"
UNCHANGED: Final = 304

_LAST: Final[WeakKeyDictionary[Client, dict[str, Response]]] = WeakKeyDictionary()
"""What a server answered last: it has not changed more often than not."""


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource in one of the versions that it is served in."""

    kind: Kind[Object]
    preferred: bool
    """Whether this is the version to use, of those that it is served in."""
    verbs: frozenset[str] = frozenset()
    singular: str = ""
    short_names: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Write it as `deployments.apps`."""
        return str(self.kind)


@dataclass(frozen=True, slots=True)
class Failure:
    """A group and version whose resources could not be found out."""

    group: str
    version: str
    why: str


@dataclass(frozen=True)
class Served:
    """What a server has: resources in its order, and what could not be found out."""

    resources: tuple[Resource, ...]
    failures: tuple[Failure, ...] = ()
    _found: dict[str, Resource] = field(init=False, repr=False, compare=False)
    _names: dict[str, list[Resource]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Prepare the look-ups."""
        chosen = [one for one in self.resources if one.preferred]
        # What is in this group has long been in another one, too.
        chosen.sort(key=lambda one: one.kind.group == EXTENSIONS)
        found = {str(one): one for one in chosen}
        names: dict[str, list[Resource]] = {}
        for one in found.values():
            for name in {one.kind.plural, one.singular or one.kind.name.lower()}:
                names.setdefault(name, []).append(one)
        object.__setattr__(self, "_found", found)
        object.__setattr__(self, "_names", names)

    def preferred(self) -> Iterator[Resource]:
        """Give each resource once, in the version to use."""
        return iter(self._found.values())

    def get(self, resource: str, version: str = "") -> Resource | None:
        """Find a resource by `plural.group`, in the version to use or in another one."""
        if not version:
            return self._found.get(resource)
        for one in self.resources:
            if one.kind.version == version and str(one) == resource:
                return one
        return None

    def resolve(self, name: str) -> Resource | None:
        """Find what people call `deploy`, `deployment`, `Deployments.apps` or `deploy.app`."""
        name = name.lower()
        if name in self._found:
            return self._found[name]
        word, _, group = name.partition(".")
        short = [one for one in self._found.values() if word in one.short_names]
        for candidates in (self._names.get(word, []), short):
            one = _of_group(candidates, group)
            if one is not None:
                return one
        return None


def _of_group(candidates: Iterable[Resource], group: str) -> Resource | None:
    """Choose the first of a group, or of one whose name begins so; without a group, the first."""
    begins = None
    for one in candidates:
        if not group or one.kind.group == group:
            return one
        if begins is None and one.kind.group.startswith(group):
            begins = one
    return begins


async def discover(client: Client) -> Served:
    """Ask a server for all it has, now; raises ApiError or ClientError where it says nothing."""
    responses = await together(*(_ask(client, root) for root in ROOTS))
    if all(read(one, _Kind).kind == AGGREGATED for one in responses):
        return _served(*[one.body for one in responses])
    found: list[list[_Version]] = []
    for root, response in zip(ROOTS, responses, strict=True):
        answer = read(response, _Answer)
        if answer.kind == AGGREGATED:
            found += map(_aggregated, answer.items)
        else:
            found += await _one_by_one(client, root, answer)
    return _put_together(found)


async def _ask(client: Client, root: str) -> Response:
    """Ask what there is; a server need not send what it has sent before."""
    last = _LAST.setdefault(client, {})
    known = last.get(root)
    tag = known.headers.get(TAG, "") if known is not None else ""
    request = Request("GET", root, accept=ACCEPT, repeatable=True, known=tag)
    response = await client.send(request)
    if known is not None and response.code == UNCHANGED:
        return known
    last[root] = check(response)
    return response


@lru_cache(maxsize=1)
def _served(*bodies: bytes) -> Served:
    """Read what a server has, unless it is what was read last: that takes its time."""
    answers = [read(Response(OK, body), _Answer) for body in bodies]
    return _put_together([_aggregated(one) for answer in answers for one in answer.items])


def _put_together(groups: Iterable[list["_Version"]]) -> Served:
    resources: list[Resource] = []
    failures: list[Failure] = []
    for group in groups:
        resources += _of_versions(group)
        failures += [Failure(v.group, v.version, v.failure) for v in group if v.failure]
    return Served(tuple(resources), tuple(failures))


class _Kind(msgspec.Struct):
    kind: str = ""


class _Found(msgspec.Struct, rename="camel"):
    """A resource as aggregated discovery tells of it."""

    resource: str
    response_kind: _Kind | None = None
    scope: str = ""
    singular_resource: str = ""
    verbs: list[str] | None = None
    short_names: list[str] | None = None


class _FoundVersion(msgspec.Struct):
    """A version as either form of discovery tells of it."""

    version: str = ""
    resources: list[_Found] | None = None
    freshness: str = ""


class _Name(msgspec.Struct):
    name: str = ""


class _Group(msgspec.Struct, rename="camel"):
    """A group as either form of discovery tells of it."""

    metadata: _Name = msgspec.field(default_factory=_Name)
    versions: list[_FoundVersion] = msgspec.field(default_factory=list)
    name: str = ""
    preferred_version: _FoundVersion | None = None


class _Answer(msgspec.Struct):
    """What /api and /apis answer, in either form."""

    kind: str = ""
    items: list[_Group] = msgspec.field(default_factory=list)
    groups: list[_Group] = msgspec.field(default_factory=list)
    versions: list[str] = msgspec.field(default_factory=list)


class _Plain(msgspec.Struct):
    """What /apis/GROUP/VERSION answers."""

    resources: list[ApiResource] = msgspec.field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Version:
    """One version of a group, in the order of preference."""

    group: str
    version: str
    resources: tuple[Resource, ...] = ()
    failure: str = ""


def _aggregated(group: _Group) -> list[_Version]:
    name, found = group.metadata.name, []
    for version in group.versions:
        why = "the server that has it does not answer" if version.freshness == STALE else ""
        resources = tuple(
            Resource(
                Kind(
                    name,
                    version.version,
                    one.response_kind.kind if one.response_kind else "",
                    one.resource,
                    dict,
                    namespaced=one.scope != CLUSTER,
                ),
                False,
                frozenset(one.verbs or ()),
                one.singular_resource,
                tuple(one.short_names or ()),
            )
            for one in (() if why else version.resources or ())
        )
        found.append(_Version(name, version.version, resources, why))
    return found


async def _one_by_one(client: Client, root: str, answer: _Answer) -> list[list[_Version]]:
    """Ask for each group and version by itself, as servers before Kubernetes 1.27 want it."""
    groups = {"": answer.versions} if root == "/api" else dict(map(_plain_group, answer.groups))
    found = []
    for group, versions in groups.items():
        found.append([await _plain(client, root, group, version) for version in versions])
    return found


def _plain_group(group: _Group) -> tuple[str, list[str]]:
    """Give the name of a group, and its versions with the preferred one first."""
    versions = [one.version for one in group.versions]
    first = group.preferred_version.version if group.preferred_version else ""
    return group.name, sorted(versions, key=lambda version: version != first)


async def _plain(client: Client, root: str, group: str, version: str) -> _Version:
    path = f"{root}/{group}/{version}" if group else f"{root}/{version}"
    try:
        answer = read(await client.send(Request("GET", path, repeatable=True)), _Plain)
    except (ApiError, ClientError) as exc:
        return _Version(group, version, failure=cut(str(exc)))
    resources = tuple(
        Resource(
            Kind(group, version, one.kind, one.name, dict, namespaced=one.namespaced),
            False,
            frozenset(one.verbs),
            one.singular_name,
            tuple(one.short_names or ()),
        )
        for one in answer.resources
        if "/" not in one.name
    )
    return _Version(group, version, resources)


def _of_versions(versions: list[_Version]) -> Iterator[Resource]:
    """Mark of each resource the version to use: the first that has it."""
    seen: set[str] = set()
    for version in versions:
        for one in version.resources:
            yield replace(one, preferred=one.kind.plural not in seen)
            seen.add(one.kind.plural)
