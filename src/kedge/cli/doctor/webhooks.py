"""Checks of webhooks: one that nobody answers refuses what Kedge writes, or what a restore does."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from kedge.cli.doctor.finding import Finding, fail, ok, warn
from kedge.cli.objects import part
from kedge.kube.kind import Kind, Object, plain

if TYPE_CHECKING:
    from kedge.cli.doctor.patient import Patient

CHECK: Final = "webhooks"
GROUP: Final = "admissionregistration.k8s.io/v1"
CONFIGURATIONS: Final = tuple(
    plain(GROUP, name, f"{name.lower()}s", namespaced=False)
    for name in ("ValidatingWebhookConfiguration", "MutatingWebhookConfiguration")
)
SLICES: Final = plain("discovery.k8s.io/v1", "EndpointSlice", "endpointslices")
OF_SERVICE: Final = "kubernetes.io/service-name"
ANY: Final = "*"
WRITES: Final = frozenset({"CREATE", "UPDATE", ANY})
"""Operations of a rule that a backup or a restore does."""
CHANGES: Final = frozenset({"create", "update", "patch"})
"""The same as verbs of a right."""
Resource = tuple[str, str]
"""A group and the plural of a kind in it, or a plural and a subresource."""
Service = tuple[str, str]
"""A namespace, and a name."""


@dataclass(frozen=True, slots=True)
class Hook:
    """A webhook without whose answer nothing is written."""

    kind: Kind[Object]
    configuration: str
    name: str
    service: Service
    what: str
    """The resources it is asked about, in words."""
    is_ours: bool
    """It is asked about what the server itself writes."""


async def webhooks(patient: Patient) -> AsyncIterator[Finding]:
    """See whether somebody answers every webhook that may refuse what is written."""
    from kedge.cli.install.kinds import NAMESPACE
    from kedge.cli.status.gathering import one_or_none, read_list

    lists = [await read_list(patient.client, kind, None) for kind in CONFIGURATIONS]
    if any(one.problem for one in lists):
        return  # that is for administrators, and other checks tell who one is
    home = await one_or_none(patient.client, NAMESPACE, patient.namespace, None)
    labels = part(home or {}, "metadata", "labels") or {}
    found = [
        hook
        for kind, one in zip(CONFIGURATIONS, lists, strict=True)
        for hook in hooks(kind, one.objects, labels)
    ]
    problems = {one: await _problem(patient, one) for one in {hook.service for hook in found}}
    broken = [hook for hook in found if problems[hook.service]]
    for hook in broken:
        yield told(hook, problems[hook.service])
    if not broken:
        text = f"{len(found)} may refuse what is written, and all are answered"
        yield ok(CHECK, text if found else "none may refuse what is written")


async def _problem(patient: Patient, service: Service) -> str:
    """Say why nobody answers at a Service; empty: somebody does, or it can not be seen."""
    from kedge.cli.install.kinds import SERVICE
    from kedge.client import Selection
    from kedge.kube.errors import Forbidden, NotFound

    place, name = service
    try:
        there = await patient.client.get(SERVICE, name, place)
        if part(there, "spec", "type") == "ExternalName":
            return ""
        chosen = Selection(place, f"{OF_SERVICE}={name}")
        slices = [one async for one in patient.client.list(SLICES, chosen)]
    except NotFound:
        return f"there is no Service {place}/{name}"
    except (Forbidden, ValueError):
        return ""
    return "" if any(map(_is_ready, slices)) else f"nothing runs behind Service {place}/{name}"


def _is_ready(endpoints: Object) -> bool:
    # What says nothing of itself is to be taken for ready (EndpointConditions).
    return any(
        part(one, "conditions", "ready") is not False for one in part(endpoints, "endpoints") or ()
    )


def told(hook: Hook, problem: str) -> Finding:
    """Say what a webhook that nobody answers does, and what helps."""
    head = f"{hook.name} of {hook.kind.name} {hook.configuration} refuses all {hook.what}"
    remove = f"kubectl delete {hook.kind.name.lower()} {hook.configuration}"
    fix = f"bring back what answers it, or, if nothing needs it any more, `{remove}`"
    if hook.is_ours:
        return fail(CHECK, f"{head}, which the server writes: {problem}", fix)
    return warn(CHECK, f"{head}, which a restore may bring back: {problem}", fix)


def hooks(
    kind: Kind[Object], configurations: Iterable[Object], labels: Mapping[str, str]
) -> Iterator[Hook]:
    """Give the webhooks that refuse writes when nobody answers, and that a Service answers.

    With the labels of the server's namespace.
    """
    for one in configurations:
        name = str(part(one, "metadata", "name") or "")
        for webhook in part(one, "webhooks") or ():
            service = part(webhook, "clientConfig", "service")
            rules = [rule for rule in part(webhook, "rules") or () if _writes(rule)]
            if not service or not rules or part(webhook, "failurePolicy") == "Ignore":
                continue
            where = str(part(service, "namespace") or ""), str(part(service, "name") or "")
            called = str(part(webhook, "name") or name)
            is_ours = _reaches(webhook, labels) and any(map(_is_ours, rules))
            yield Hook(kind, name, called, where, _worded(rules), is_ours)


def _writes(rule: Any) -> bool:
    return bool(WRITES & set(part(rule, "operations") or ()))


def _reaches(webhook: Any, labels: Mapping[str, str]) -> bool:
    """Tell whether it is asked about objects of a namespace with these labels, as far as known."""
    from kedge.kube.requirements import SelectorError
    from kedge.kube.selectors import from_object

    if part(webhook, "objectSelector") or part(webhook, "matchConditions"):
        return False  # about some objects only: those of ours need not be among them
    try:
        return from_object(part(webhook, "namespaceSelector") or {}).matches(labels)
    except SelectorError:
        return False


def _is_ours(rule: Any) -> bool:
    groups, resources = part(rule, "apiGroups") or (), part(rule, "resources") or ()
    return any(
        _fits(pattern, resource)
        for group, resource in written()
        if group in groups or ANY in groups
        for pattern in resources
    )


def _fits(pattern: str, resource: str) -> bool:
    """Tell whether a resource, or a subresource, is meant; `*` is all resources alone."""
    pairs = zip(_parts(pattern), _parts(resource), strict=True)
    return all(wanted in (ANY, found) for wanted, found in pairs)


def _parts(resource: str) -> Resource:
    name, _, subresource = resource.partition("/")
    return name, subresource


def written() -> set[Resource]:
    """Give what the server itself writes: what a restore brings back is anything."""
    from kedge.cli.install.rights import CLUSTER_RULES, RIGHTS

    rules = [one.rule for one in RIGHTS] + CLUSTER_RULES
    return {
        (group, resource)
        for rule in rules
        if CHANGES & set(rule["verbs"])
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        if resource != ANY
    }


def _worded(rules: Iterable[Any]) -> str:
    names = [
        "objects" if resource in (ANY, "*/*") and group == ANY else _resource(group, resource)
        for rule in rules
        for group in part(rule, "apiGroups") or ()
        for resource in part(rule, "resources") or ()
    ]
    unique = list(dict.fromkeys(names))
    more = f" and {len(unique) - 1} more" if len(unique) > 1 else ""
    return f"{unique[0]}{more}" if unique else "objects"


def _resource(group: str, resource: str) -> str:
    if resource in (ANY, "*/*"):
        return f"objects of {group or 'the core group'}"
    return f"{resource}.{group}" if group not in ("", ANY) else resource
