"""The names of a custom kind: which are well formed, and which are accepted."""

from collections.abc import Iterable, Iterator
from typing import Any

from kedge.apiserver.crd.approval import approval_condition
from kedge.kube.fielderror import FieldError, invalid
from kedge.kube.gotext import quote
from kedge.kube.names import dns_1035_label

Json = dict[str, Any]

_MIXED = "may have mixed case, but should otherwise match: "


def validate_names(names: Json, path: str) -> Iterator[FieldError]:
    """Check the names that are there."""
    for field in ("plural", "singular"):
        yield from _label(names.get(field) or "", names.get(field) or "", f"{path}.{field}", "")
    for field in ("kind", "listKind"):
        name = names.get(field) or ""
        yield from _label(name, name.lower(), f"{path}.{field}", _MIXED)
    for position, name in enumerate(names.get("shortNames") or ()):
        yield from _label(name, name, f"{path}.shortNames[{position}]", "", empty=True)
    kind, list_kind = names.get("kind"), names.get("listKind")
    if kind and kind == list_kind:
        yield invalid(f"{path}.listKind", list_kind, "kind and listKind may not be the same")
    for position, name in enumerate(names.get("categories") or ()):
        yield from _label(name, name, f"{path}.categories[{position}]", "", empty=True)


def _label(
    name: str, text: str, path: str, rule: str, *, empty: bool = False
) -> Iterator[FieldError]:
    problems = dns_1035_label(text) if name or empty else []
    if problems:
        yield invalid(path, name, rule + ",".join(problems))


def establish(crd: Json, others: Iterable[Json], now: str) -> Json:
    """Give the status of a CRD beside the others: names it gets, and whether it is served.

    A name that another CRD of the group has is not accepted; all the rest is. Once the names are
    accepted, the next call serves it: watchers see both steps.
    """
    status = {**(crd.get("status") or {})}
    conditions = [dict(one) for one in status.get("conditions") or ()]
    spec_names, accepted = crd["spec"]["names"], status.get("acceptedNames") or {}
    if _listed(spec_names) != _listed(accepted):
        taken = _taken(crd, others)
        names, naming = _settle(spec_names, accepted, *taken)
        status["acceptedNames"] = _written(names)
        _set(conditions, naming, now)
        _set(conditions, _pending(conditions, naming), now)
    elif _is_true(conditions, "NamesAccepted") and not _is_true(conditions, "Established"):
        _set(conditions, _ESTABLISHED, now)
    approval = approval_condition(crd)
    if approval is not None and not _has(conditions, approval):
        _set(conditions, approval, now)
    status["conditions"] = conditions
    return status


_ESTABLISHED = {
    "type": "Established",
    "status": "True",
    "reason": "InitialNamesAccepted",
    "message": "the initial names have been accepted",
}
_INSTALLING = {**_ESTABLISHED, "status": "False", "reason": "Installing"}
_NOT_ACCEPTED = {
    "type": "Established",
    "status": "False",
    "reason": "NotAccepted",
    "message": "not all names are accepted",
}


def _listed(names: Json) -> Json:
    return {field: value for field, value in names.items() if value}


def _taken(crd: Json, others: Iterable[Json]) -> tuple[set[str], set[str]]:
    """Give the resource names and the kinds that CRDs of the group have, its own included."""
    resources: set[str] = set()
    kinds: set[str] = set()
    for other in (*others, crd):
        if other["spec"]["group"] == crd["spec"]["group"]:
            names = (other.get("status") or {}).get("acceptedNames") or {}
            found = [names.get("plural"), names.get("singular"), *(names.get("shortNames") or ())]
            resources |= {name for name in found if name}
            kinds |= {name for name in (names.get("kind"), names.get("listKind")) if name}
    return resources, kinds


def _settle(asked: Json, had: Json, resources: set[str], kinds: set[str]) -> tuple[Json, Json]:
    """Give the names that are accepted, and the condition that says so."""
    names = {**had}
    problem: tuple[str, str] | None = None
    for field, used, reason in (
        ("plural", resources, "PluralConflict"),
        ("singular", resources, "SingularConflict"),
        ("shortNames", resources, "ShortNamesConflict"),
        ("kind", kinds, "KindConflict"),
        ("listKind", kinds, "ListKindConflict"),
    ):
        clashes = _clashes(asked.get(field), had.get(field), used)
        if clashes:
            problem = reason, clashes
        else:
            names[field] = asked.get(field)
    names["categories"] = asked.get("categories")
    reason, message = problem or ("NoConflicts", "no conflicts found")
    verdict = "False" if problem else "True"
    condition = {"type": "NamesAccepted", "status": verdict, "reason": reason, "message": message}
    return names, condition


def _clashes(asked: Any, had: Any, used: set[str]) -> str:
    """Say which names someone else has; empty if none."""
    mine = had if isinstance(had, list) else [had]
    wanted = asked if isinstance(asked, list) else [asked]
    texts = [f"{quote(name)} is already in use" for name in wanted if name in used - {*mine}]
    texts = list(dict.fromkeys(texts))
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]" if texts else ""


def _written(names: Json) -> Json:
    """Write names in the order of the Go struct; plural and kind always show."""
    fields = ("plural", "singular", "shortNames", "kind", "listKind", "categories")
    return {
        field: names.get(field) or ""
        for field in fields
        if names.get(field) or field in ("plural", "kind")
    }


def _pending(conditions: list[Json], naming: Json) -> Json:
    """Give the Established condition before the endpoint is there."""
    old = next((one for one in conditions if one["type"] == "Established"), _NOT_ACCEPTED)
    if old["status"] != "True" and naming["status"] == "True":
        return _INSTALLING
    return old


def _is_true(conditions: list[Json], kind: str) -> bool:
    return any(one["type"] == kind and one["status"] == "True" for one in conditions)


def _has(conditions: list[Json], wanted: Json) -> bool:
    return any(
        all(one.get(field) == wanted[field] for field in ("type", "status", "reason", "message"))
        for one in conditions
    )


def _set(conditions: list[Json], new: Json, now: str) -> None:
    """Set a condition; its time moves with its status only."""
    old = next((one for one in conditions if one["type"] == new["type"]), None)
    if old is None:
        conditions.append(_condition(new, now))
    else:
        moved = old["status"] != new["status"] or not old.get("lastTransitionTime")
        time = now if moved else old["lastTransitionTime"]
        old.update(_condition(new, time))


def _condition(new: Json, time: str) -> Json:
    return {
        "type": new["type"],
        "status": new["status"],
        "lastTransitionTime": time,
        "reason": new["reason"],
        "message": new["message"],
    }


def terminate(crd: Json, now: str) -> None:
    """Mark a CRD for deletion in place: its objects go first, and its finalizer waits for them."""
    meta, status = crd["metadata"], crd.setdefault("status", {})
    meta["deletionTimestamp"] = now
    finalizers = meta.setdefault("finalizers", [])
    if CLEANUP not in finalizers:
        finalizers.append(CLEANUP)
    conditions = [dict(one) for one in status.get("conditions") or ()]
    _set(conditions, _PENDING_DELETION, now)
    status["conditions"] = conditions


CLEANUP = "customresourcecleanup.apiextensions.k8s.io"
IN_PROGRESS = {
    "type": "Terminating",
    "status": "True",
    "reason": "InstanceDeletionInProgress",
    "message": "CustomResource deletion is in progress",
}
_PENDING_DELETION = {
    "type": "Terminating",
    "status": "True",
    "reason": "InstanceDeletionPending",
    "message": (
        "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon"
    ),
}
