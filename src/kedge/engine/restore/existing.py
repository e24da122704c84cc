"""What happens to an object that is there already. Pure."""

from dataclasses import dataclass, replace
from typing import Any, Final

from kedge.api.velero.labels import BACKUP_NAME, RESTORE_NAME
from kedge.api.velero.restore import ExistingPolicy
from kedge.engine.restore.fields import labels
from kedge.kube.kind import Object
from kedge.kube.patch.merge import merge

DIFFERS: Final = "Warning: the in-cluster version is different than the backed-up version"
ACCOUNTS: Final = "serviceaccounts"
LEASES: Final = "leases.coordination.k8s.io"
"""Held by somebody who lives: the holder of then would take it from them, and from us first."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is to be done with what is there."""

    patch: Object | None = None
    """A merge patch; None: nothing is written."""
    fallback: Object | None = None
    """A smaller patch for where the server does not take the first one."""
    warning: str = ""
    is_update: bool = False
    """More than labels of ours changes."""


def difference(before: Object, after: Object) -> Object:
    """Give the merge patch that makes one object of the other; empty: they are the same."""
    patch: Object = {}
    for key in {**before, **after}:
        old, new = before.get(key), after.get(key)
        if isinstance(old, dict) and isinstance(new, dict):
            inner = difference(old, new)
            if inner:
                patch[key] = inner
        elif not same(old, new):
            patch[key] = new
    return patch


def same(one: Any, other: Any) -> bool:
    """Tell whether two values are the same as JSON; a field that is null is one that is absent."""
    if isinstance(one, bool) != isinstance(other, bool):
        return False
    if isinstance(one, dict) and isinstance(other, dict):
        return all(same(one.get(key), other.get(key)) for key in {**one, **other})
    if isinstance(one, list) and isinstance(other, list):
        pairs = zip(one, other, strict=False)
        return len(one) == len(other) and all(same(*pair) for pair in pairs)
    return bool(one == other)


def judge(live: Object, wanted: Object, resource: str, policy: str | None) -> Verdict:
    """Decide about an object; both have shed what does not come back, `wanted` has our labels."""
    ours = {key: labels(wanted).get(key) for key in (BACKUP_NAME, RESTORE_NAME)}
    relabel = _relabelling(live, ours)
    compared = merge(live, {"metadata": {"labels": ours}})
    if same(compared, wanted):
        refresh = policy == ExistingPolicy.UPDATE and relabel
        return Verdict(patch=relabel if refresh else None)
    if resource == ACCOUNTS:
        verdict = _merged_account(live, compared, wanted)
        can_fall_back = verdict.patch and policy == ExistingPolicy.UPDATE
        return replace(verdict, fallback=(relabel or None) if can_fall_back else None)
    if policy == ExistingPolicy.UPDATE and resource != LEASES:
        return Verdict(difference(live, wanted), relabel or None, is_update=True)
    kind, name = wanted.get("kind"), wanted["metadata"].get("name")
    what = f'{kind} "{name}"' if policy else f"{kind}:{name}"
    return Verdict(warning=f"could not restore, {what} already exists. {DIFFERS}")


def _relabelling(live: Object, ours: dict[str, Any]) -> Object:
    found = labels(live)
    changed = {key: each for key, each in ours.items() if found.get(key) != each}
    return {"metadata": {"labels": changed}} if changed else {}


def _merged_account(live: Object, compared: Object, wanted: Object) -> Verdict:
    """Add what a service account lacks; what it has stays."""
    desired = dict(compared)
    for field in ("secrets", "imagePullSecrets"):
        listed = _united(compared.get(field), wanted.get(field))
        if listed:
            desired[field] = listed
    metadata = dict(compared["metadata"])
    for field in ("labels", "annotations"):
        united = {**(wanted["metadata"].get(field) or {}), **(metadata.get(field) or {})}
        if united:
            metadata[field] = united
    desired["metadata"] = metadata
    if same(desired, compared):
        return Verdict()
    return Verdict(difference(live, desired), is_update=True)


def _united(here: Any, there: Any) -> list[Any]:
    found = list(here) if isinstance(here, list) else []
    names = {each.get("name") for each in found if isinstance(each, dict)}
    for each in there if isinstance(there, list) else ():
        if isinstance(each, dict) and each.get("name") not in names:
            found.append(each)
            names.add(each.get("name"))
    return found
