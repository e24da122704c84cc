"""What a cluster holds, and what may differ after a round trip, with the reason for each."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kedge.kube.errors import ApiError, TooManyRequests
from kedge.testing.client import Client
from tests.integration.eventually import pause

Object = dict[str, Any]
Key = tuple[str, str, str]
"""A resource with its group, a namespace (empty: none) and a name."""
State = dict[Key, Object]
AT_ONCE = 8
PAUSE_SECONDS = 0.2
RESTORE_LABELS = ("velero.io/backup-name", "velero.io/restore-name")


@dataclass(frozen=True)
class May:
    """Something that may differ: where, why, and how to make both sides alike."""

    why: str
    where: Callable[[Key, Object], bool]
    level: Callable[[Object], None]


async def state(client: Client) -> State:
    """Read every object of every kind that can be listed, in its preferred version."""
    found: State = {}
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(path: str, resource: str) -> None:
        async with gate:
            items = await _listed(client, path)
        for item in items:
            meta = item["metadata"]
            found[resource, meta.get("namespace", ""), meta["name"]] = item

    async with asyncio.TaskGroup() as group:
        for path, resource in await resources(client):
            group.create_task(one(path, resource))
    return found


async def _listed(client: Client, path: str) -> list[Object]:
    """Read a list; a real server asks for patience with a kind that was just defined."""
    while True:
        try:
            found: list[Object] = (await client.get(path))["items"]
        except TooManyRequests:
            await pause(PAUSE_SECONDS)
        else:
            return found


async def resources(client: Client) -> list[tuple[str, str]]:
    """List the paths and names of what can be listed and created."""
    groups = (await client.get("/apis"))["groups"]
    roots = [("/api/v1", "")]
    roots += [(f"/apis/{one['preferredVersion']['groupVersion']}", one["name"]) for one in groups]
    found = []
    for root, group in roots:
        try:
            served = (await client.get(root))["resources"]
        except ApiError:  # an aggregated server that is not there
            continue
        for one in served:
            if {"list", "create"} <= set(one["verbs"]) and "/" not in one["name"]:
                name = f"{one['name']}.{group}" if group else one["name"]
                found.append((f"{root}/{one['name']}", name))
    return found


def differences(
    before: State, after: State, may_differ: Sequence[May] | None = None
) -> Iterator[str]:
    """Tell what is missing and what is different after a round trip, beyond what may be."""
    rules = MAY_DIFFER if may_differ is None else may_differ
    for key, old in sorted(before.items()):
        if _may_be_absent(key, old):
            continue
        new = after.get(key)
        if new is None:
            yield f"missing: {key}"
            continue
        left, right = leveled(key, old, rules), leveled(key, new, rules)
        yield from (f"{key}: {one}" for one in _deep(left, right, ""))


def leveled(key: Key, obj: Object, rules: Sequence[May]) -> Object:
    """Copy an object without what may differ."""
    copy: Object = _copy(obj)
    for may in rules:
        if may.where(key, copy):
            may.level(copy)
    return copy


def _may_be_absent(key: Key, obj: Object) -> bool:
    return any(absent(key, obj) for absent in MAY_BE_ABSENT.values())


def _deep(left: Any, right: Any, path: str) -> Iterator[str]:
    if isinstance(left, dict) and isinstance(right, dict):
        for name in sorted({*left, *right}):
            yield from _deep(left.get(name), right.get(name), f"{path}.{name}")
    elif isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        for place, pair in enumerate(zip(left, right, strict=True)):
            yield from _deep(*pair, f"{path}[{place}]")
    elif left != right or type(left) is not type(right):
        yield f"{path}: {str(left)[:200]} became {str(right)[:200]}"


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _copy(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_copy(one) for one in value]
    return value


def _of(*names: str) -> Callable[[Key, Object], bool]:
    return lambda key, _: key[0] in names


def _every(_: Key, __: Object) -> bool:
    return True


def _without(*names: str) -> Callable[[Object], None]:
    def level(obj: Object) -> None:
        for name in names:
            obj.pop(name, None)

    return level


def _without_meta(*names: str) -> Callable[[Object], None]:
    def level(obj: Object) -> None:
        for name in names:
            obj["metadata"].pop(name, None)

    return level


def _without_labels(obj: Object) -> None:
    labels = obj["metadata"].get("labels", {})
    for name in RESTORE_LABELS:
        labels.pop(name, None)
    if not labels:
        obj["metadata"].pop("labels", None)


def _without_spec(*names: str) -> Callable[[Object], None]:
    return lambda obj: _without(*names)(obj.get("spec", {}))


def _without_given_ports(obj: Object) -> None:
    chosen = obj["metadata"]["name"] in ("node-port-applied", "node-port-chosen")
    spec = obj["spec"]
    spec.pop("healthCheckNodePort", None)
    for port in spec.get("ports", []):
        if not chosen or port.get("name") == "b":
            port.pop("nodePort", None)
    if spec.get("clusterIP") != "None":
        spec.pop("clusterIP", None)
        spec.pop("clusterIPs", None)


def _without_claim_uid(obj: Object) -> None:
    _without("uid", "resourceVersion")(obj["spec"].get("claimRef", {}))


def _without_binding(obj: Object) -> None:
    annotations = obj["metadata"].get("annotations", {})
    for name in BINDING:
        annotations.pop(name, None)


def _without_uids(obj: Object) -> None:
    template = obj["spec"]["template"]["metadata"]
    for place in (template, obj["metadata"], obj["spec"].get("selector", {})):
        labels = place.get("labels", place.get("matchLabels", {}))
        for name in JOB_LABELS:
            labels.pop(name, None)


def _is_of_the_server(key: Key, obj: Object) -> bool:
    """Tell what each server makes for itself, in its own way."""
    resource, namespace, name = key
    return (
        (namespace == "kube-system" and resource.startswith(("leases.", "configmaps")))
        or (namespace == "default" and name == "kubernetes")
        or resource.startswith("ipaddresses.")
        or (resource.startswith("apiservices.") and "labels" in obj["metadata"])
    )


BINDING = (
    "pv.kubernetes.io/bind-completed",
    "pv.kubernetes.io/bound-by-controller",
    "volume.kubernetes.io/selected-node",
)
JOB_LABELS = (
    "controller-uid",
    "batch.kubernetes.io/controller-uid",
)
NOT_RESTORED = (
    "nodes",
    "events",
    "events.events.k8s.io",
    "csinodes.storage.k8s.io",
    "volumeattachments.storage.k8s.io",
)

MAY_BE_ABSENT: dict[str, Callable[[Key, Object], bool]] = {
    "kinds that are never restored": _of(*NOT_RESTORED),
    "what asks to be left out": lambda _, obj: (
        obj["metadata"].get("labels", {}).get("velero.io/exclude-from-backup") == "true"
    ),
    "what is in a namespace that asks to be left out": lambda key, _: key[1] == "left-out",
    "what was on its way out": lambda _, obj: "deletionTimestamp" in obj["metadata"],
    "what each server makes for itself": _is_of_the_server,
}

SERVER_GIVEN = May(
    "given by the server to each new object, or kept by it about the writers",
    _every,
    _without_meta(
        "uid", "resourceVersion", "creationTimestamp", "generation", "selfLink", "managedFields"
    ),
)
STATUSES = May(
    "statuses are restored only where that is asked for, and controllers write them",
    _every,
    _without("status"),
)
SERVICES = May(
    "addresses and ports nobody chose are given anew", _of("services"), _without_given_ports
)
REQUESTERS = May(
    "who asks for a certificate is who creates the request",
    _of("certificatesigningrequests.certificates.k8s.io"),
    _without_spec("uid", "username", "groups", "extra"),
)
JOBS = May("jobs have other uids, and are labelled with them", _of("jobs.batch"), _without_uids)

MAY_DIFFER = [
    SERVER_GIVEN,
    STATUSES,
    SERVICES,
    JOBS,
    REQUESTERS,
    May("owners have other uids in another cluster", _every, _without_meta("ownerReferences")),
    May("restored objects are labelled", _every, _without_labels),
    May("the claim has another uid", _of("persistentvolumes"), _without_claim_uid),
    May("claims are bound anew", _of("persistentvolumeclaims"), _without_binding),
    May("pods are scheduled anew", _of("pods"), _without_spec("nodeName", "priority")),
    May(
        "the server makes these rules from other roles",
        lambda key, obj: key[0].startswith("clusterroles.") and "aggregationRule" in obj,
        _without("rules"),
    ),
]
