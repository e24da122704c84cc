"""Hide what no two servers have in common: uids, versions, times, tokens, generated names."""

import re
from typing import Any

_UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
_JWT = re.compile(r"eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+")
_AGE = re.compile(r"(\d+[smhdy])+|<invalid>|<unknown>")
_GENERATED = "[bcdfghjklmnpqrstvwxz2456789]{5}"
_VERSIONS_IN_TEXT = (
    (re.compile(r'(resourceVersion\\*":\\*")\d+'), r"\g<1><rv>"),
    (re.compile(r"(too old resource version: \d+) \(\d+\)"), r"\g<1> (<rv>)"),
    (re.compile(r"(Too large resource version: \d+, current:) \d+"), r"\g<1> <rv>"),
    (re.compile(r"(ResourceVersion in record) \(\d+\)"), r"\g<1> (<rv>)"),
)
_LISTED = {"resourceVersion", "continue", "remainingItemCount"}


class Mask:
    """Hides what differs, so that what is the same within a conversation still looks the same."""

    def __init__(self, names: dict[str, str]) -> None:
        """`names` are texts of this run (its namespace) with the words to show for them."""
        self._names = names
        self._uids: dict[str, str] = {}
        self._versions: dict[str, str] = {}
        self._prefixes: list[re.Pattern[str]] = []

    def body(self, value: Any) -> Any:
        """Hide what differs in a body."""
        if isinstance(value, dict):
            return self._object(value)
        if isinstance(value, list):
            return [self.body(item) for item in value]
        return self.text(value) if isinstance(value, str) else value

    def text(self, text: str) -> str:
        """Hide what differs in a text."""
        for name, shown in self._names.items():
            text = text.replace(name, shown)
        for prefix in self._prefixes:
            text = prefix.sub(r"\1<generated>", text)
        text = _UID.sub(lambda found: self._uid(found[0]), text)
        text = _TIME.sub("<time>", text)
        text = _JWT.sub("<jwt>", text)
        for pattern, shown in _VERSIONS_IN_TEXT:
            text = pattern.sub(shown, text)
        return text

    def _uid(self, uid: str) -> str:
        return self._uids.setdefault(uid, f"<uid-{len(self._uids) + 1}>")

    def _object(self, value: dict[str, Any]) -> dict[str, Any]:
        if "items" in value or value.get("kind") == "Table":
            value = {**value, "metadata": self._list_meta(value.get("metadata"))}
        if value.get("kind") == "Table":
            value["rows"] = [self._row(value, row) for row in value.get("rows") or []]
        if value.get("kind") == "Status":
            value = _in_order(value)
        return {self.text(name): self._field(name, item) for name, item in sorted(value.items())}

    def _field(self, name: str, item: Any) -> Any:
        if name == "managedFields" and isinstance(item, list):
            # Sorted by time, which depends on whether a second passed between two requests.
            item = sorted(item, key=_owner)
        if name == "resourceVersion" and isinstance(item, str) and item.isdigit():
            return self._versions.setdefault(item, f"<rv-{len(self._versions) + 1}>")
        return self.body(item)

    def _list_meta(self, meta: Any) -> Any:
        if not isinstance(meta, dict):
            return meta
        return {
            name: f"<{name}>" if name in _LISTED - {"remainingItemCount"} else item
            for name, item in meta.items()
        }

    def _row(self, table: dict[str, Any], row: Any) -> Any:
        columns = [column["name"] for column in table.get("columnDefinitions") or []]
        cells = [
            "<age>" if isinstance(cell, str) and _AGE.fullmatch(cell) else cell
            for cell in row.get("cells", [])
        ]
        del columns
        return {**row, "cells": cells}

    def generated(self, prefix: str) -> None:
        """Hide what a server adds to this prefix of a name."""
        if not prefix:
            return
        self._prefixes.append(re.compile(f"({re.escape(prefix)}){_GENERATED}\\b"))


def _owner(entry: dict[str, Any]) -> tuple[str, ...]:
    names = ("manager", "operation", "apiVersion", "subresource")
    return tuple(str(entry.get(name, "")) for name in names)


def _in_order(status: dict[str, Any]) -> dict[str, Any]:
    """Sort several causes, and the message made of them: Go goes over maps at random."""
    details = status.get("details") or {}
    causes = details.get("causes") or []
    head, separator, _ = str(status.get("message")).partition(" is invalid: [")
    is_conflict = head.startswith("Apply failed with ")
    if len(causes) < 2 or not (separator or is_conflict):
        return status
    causes = sorted(causes, key=lambda cause: (cause.get("field", ""), cause.get("message", "")))
    if is_conflict:
        return {**status, "details": {**details, "causes": causes}}
    texts = dict.fromkeys(f"{cause.get('field')}: {cause.get('message')}" for cause in causes)
    message = f"{head} is invalid: [{', '.join(texts)}]"
    return {**status, "message": message, "details": {**details, "causes": causes}}
