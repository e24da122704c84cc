"""The entries of metadata.managedFields: reading a user's, telling them apart, and their order."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final

from kedge.kube.apply.elements import json_text
from kedge.kube.apply.manager import MAX_NAME_BYTES, UNKNOWN, Manager
from kedge.kube.apply.sets import FieldSet, parse, union
from kedge.kube.fielderror import INVALID, TOO_LONG, FieldError

Entry = dict[str, Any]
Identity = tuple[str, str, str, str]

APPLY: Final = "Apply"
UPDATE: Final = "Update"
FIELDS_V1: Final = "FieldsV1"
MAX_UPDATERS: Final = 10
"""Beyond this many entries of updates, Kubernetes joins the oldest ones."""
ANCIENT: Final = "ancient-changes"
MAX_SUBRESOURCE: Final = 256


def identity(entry: Entry) -> Identity:
    """Tell whose entry it is; an applier has one for all versions that it applies."""
    operation = entry["operation"]
    version = "" if operation == APPLY else entry["apiVersion"]
    return entry.get("manager", ""), operation, version, entry.get("subresource", "")


def identity_text(who: Identity) -> str:
    """Write an identity as Kubernetes sorts by it: in JSON."""
    names = ("manager", "operation", "apiVersion", "subresource")
    pairs = zip(names, who, strict=True)
    return f"{{{','.join(f'{json_text(name)}:{json_text(text)}' for name, text in pairs if text)}}}"


def own_identity(manager: Manager, operation: str) -> Identity:
    """Give the identity of the one who makes a request."""
    version = "" if operation == APPLY else manager.api_version
    return manager.name or UNKNOWN, operation, version, manager.subresource


def make(who: Identity, api_version: str, fields: FieldSet, time: str | None) -> Entry:
    """Make an entry, with its fields in Kubernetes' order."""
    manager, operation, _, subresource = who
    entry: Entry = {"manager": manager} if manager else {}
    entry["operation"] = operation
    entry["apiVersion"] = api_version
    if time:
        entry["time"] = time
    entry["fieldsType"] = FIELDS_V1
    entry["fieldsV1"] = fields
    if subresource:
        entry["subresource"] = subresource
    return entry


def decode(raw: Iterable[Any]) -> list[Entry]:
    """Read the entries that a user sent. Raises ValueError."""
    by_identity: dict[Identity, Entry] = {}
    for entry in raw:
        if not isinstance(entry, dict) or entry.get("operation") not in (APPLY, UPDATE):
            raise ValueError("operation must be `Apply` or `Update`")
        if not entry.get("apiVersion"):
            raise ValueError("apiVersion must not be empty")
        if entry.get("fieldsType") != FIELDS_V1:
            raise ValueError("invalid fieldsType in managed fields entry")
        who = identity(entry)
        fields = parse(entry.get("fieldsV1"))
        by_identity[who] = make(who, entry["apiVersion"], fields, entry.get("time"))
    return in_order(by_identity.values())


def in_order(entries: Iterable[Entry]) -> list[Entry]:
    """Sort entries as Kubernetes does."""
    found = list(entries)
    return sorted(found, key=_order) if len(found) > 1 else found


def _order(entry: Entry) -> tuple[str, float, str, str, str]:
    return (
        entry["operation"],
        seconds(entry.get("time")),
        entry.get("manager", ""),
        entry["apiVersion"],
        entry.get("subresource", ""),
    )


def seconds(time: str | None) -> float:
    """Give the second that a timestamp names; 0 where there is none."""
    return datetime.fromisoformat(time).timestamp() // 1 if time else 0


def is_reset(raw: list[Any]) -> bool:
    """Tell whether a user asks to forget all entries: by an empty list, or an empty entry."""
    return not raw or (len(raw) == 1 and isinstance(raw[0], dict) and not any(raw[0].values()))


def capped(entries: list[Entry]) -> list[Entry]:
    """Join the oldest updates, so that there are not too many entries."""
    excess = sum(entry["operation"] == UPDATE for entry in entries) - MAX_UPDATERS
    if excess <= 0:
        return entries
    by_identity = {identity(entry): entry for entry in entries}
    updates = [entry for entry in entries if entry["operation"] == UPDATE]
    updates.sort(key=lambda entry: (seconds(entry.get("time")), identity_text(identity(entry))))
    first: dict[str, Entry] = {}
    for entry in updates:
        if excess <= 0:
            break
        version = entry["apiVersion"]
        if first.setdefault(version, entry) is not entry:
            _join(by_identity, first[version], entry)
            excess -= 1
    return in_order(by_identity.values())


def _join(by_identity: dict[Identity, Entry], first: Entry, entry: Entry) -> None:
    """Put an entry into the bucket of its version, which begins with the first one."""
    version = entry["apiVersion"]
    who: Identity = (ANCIENT, UPDATE, version, "")
    bucket = by_identity.get(who)
    if bucket is None:
        bucket = by_identity.pop(identity(first))
    fields = union(entry["fieldsV1"], bucket["fieldsV1"])
    by_identity[who] = make(who, version, fields, entry.get("time"))
    # A bucket that is not the oldest of its version is lost here, in Kubernetes too.
    by_identity.pop(identity(entry), None)


def errors(entries: list[Entry], path: str = "metadata.managedFields") -> list[FieldError]:
    """Say what validation has against entries that a user sent."""
    found = []
    for index, entry in enumerate(entries):
        manager = entry.get("manager", "")
        at = f"{path}[{index}]"
        if len(manager.encode()) > MAX_NAME_BYTES:
            detail = f"may not be more than {MAX_NAME_BYTES} bytes"
            found.append(FieldError(TOO_LONG, f"{at}.manager", manager, detail))
        for place, char in enumerate(manager):
            if not char.isprintable():
                where = f"(at position {len(manager[:place].encode())})"
                detail = f"invalid character U+{ord(char):04X} {where}"
                found.append(FieldError(INVALID, f"{at}.manager", manager, detail))
        if len(entry.get("subresource", "").encode()) > MAX_SUBRESOURCE:
            detail = f"may not be more than {MAX_SUBRESOURCE} bytes"
            found.append(FieldError(TOO_LONG, f"{at}.subresource", None, detail))
    return found
