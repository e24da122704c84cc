"""Two objects side by side, as text for people."""

import difflib
from typing import Any, Final

import yaml

from kedge.kube.kind import Object

SECRET: Final = ("v1", "Secret")
HIDDEN: Final = "(not shown)"
HIDDEN_NEW: Final = "(not shown, changed)"
LAST_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"


def diff(before: Object, after: Object) -> str:
    """Write a unified diff of two objects; empty: they look the same."""
    if SECRET in ((one.get("apiVersion"), one.get("kind")) for one in (before, after)):
        before, after = _hidden(before, after)
    name = str((after.get("metadata") or {}).get("name", ""))
    lines = difflib.unified_diff(
        _lines(before), _lines(after), f"{name} (in the cluster)", f"{name} (restored)", n=3
    )
    return "".join(lines)


def _lines(obj: Object) -> list[str]:
    text: str = yaml.dump(
        obj, Dumper=yaml.CSafeDumper, sort_keys=True, allow_unicode=True, width=2**16
    )
    return text.splitlines(keepends=True)


def _hidden(before: Object, after: Object) -> tuple[Object, Object]:
    """Put words in the place of the values of Secrets, which differ where the values do."""
    one, other = dict(before), dict(after)
    for field in ("data", "stringData"):
        old, new = _table(before.get(field)), _table(after.get(field))
        if field in before:
            one[field] = dict.fromkeys(old, HIDDEN)
        if field in after:
            other[field] = {
                key: HIDDEN if key not in old or old[key] == each else HIDDEN_NEW
                for key, each in new.items()
            }
    return _without_applied(one), _without_applied(other)


def _without_applied(obj: Object) -> Object:
    """Hide the annotation that holds the whole object once more, values and all."""
    metadata = _table(obj.get("metadata"))
    annotations = _table(metadata.get("annotations"))
    if LAST_APPLIED not in annotations:
        return obj
    kept = {**annotations, LAST_APPLIED: HIDDEN}
    return {**obj, "metadata": {**metadata, "annotations": kept}}


def _table(value: Any) -> Object:
    return value if isinstance(value, dict) else {}
