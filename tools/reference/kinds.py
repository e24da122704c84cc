"""The page of kinds: every field of every object, from the CRDs."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from kedge.api.crd import crds
from kedge.api.part import DURATION_PATTERN
from tools.reference.markdown import code, table

GROUPS = {
    "velero.io": "Backups",
    "oadp.openshift.io": "Self-service",
    "psc.cronprimer.local": "Jobs on warm nodes",
}
"""The headings of the page, in order; a group that is not here comes last, by its name."""
FIRST = ("Backup", "Schedule", "Restore", "BackupStorageLocation")
LEAST = 3
"""Fields of an object that is told of once, and pointed at where it comes again."""


Row = tuple[str, str, str, str]


def kinds() -> str:
    """Write all kinds, under a heading for each group."""
    parts = []
    known: dict[str, str] = {}
    by_group: dict[str, list[dict[str, Any]]] = {}
    for crd in sorted(crds(), key=_order):
        by_group.setdefault(crd["spec"]["group"], []).append(crd)
    for group, found in by_group.items():
        parts.append(f"## {GROUPS.get(group, group)}\n")
        parts += [_kind(crd, known) for crd in found]
    return "\n".join(parts)


def _order(crd: Mapping[str, Any]) -> tuple[int, int, str]:
    group, name = crd["spec"]["group"], crd["spec"]["names"]["kind"]
    place = list(GROUPS).index(group) if group in GROUPS else len(GROUPS)
    return place, FIRST.index(name) if name in FIRST else len(FIRST), name


def _kind(crd: Mapping[str, Any], known: dict[str, str]) -> str:
    spec = crd["spec"]
    version = spec["versions"][0]
    schema = version["schema"]["openAPIV3Schema"]
    name = spec["names"]["kind"]
    parts = [f"### {name}\n", f"{schema['description']}\n", _names(spec, version)]
    columns = version.get("additionalPrinterColumns", ())
    if columns:
        parts += [
            "Columns of `kubectl get`:\n",
            table(("column", "what it tells"), _columns(columns)),
        ]
    rows = list(_fields(schema, "", _Place(name, known)))
    parts += ["Fields:\n", table(("field", "type", "default", "meaning"), rows)]
    rules = _rules(schema)
    if rules:
        parts += [f"Of the object as a whole the API server asks: {rules}.\n"]
    return "\n".join(parts)


def _names(spec: Mapping[str, Any], version: Mapping[str, Any]) -> str:
    names = spec["names"]
    told = [f"`apiVersion: {spec['group']}/{version['name']}`", spec["scope"].lower()]
    told.append(f"`kubectl get {names['plural']}`")
    if names.get("shortNames"):
        told.append(f"short {', '.join(map(code, names['shortNames']))}")
    if names.get("categories"):
        told.append(f"in {', '.join(map(code, names['categories']))}")
    return f"{'; '.join(told)}.\n"


def _columns(columns: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    for one in columns:
        wide = " Only with `-o wide`." if one.get("priority") else ""
        yield one["name"], f"{one.get('description', '')}{wide}"


class _Place:
    """Where the objects are that were told of already."""

    def __init__(self, kind: str, known: dict[str, str]) -> None:
        self.kind = kind
        self.known = known

    def seen(self, schema: Mapping[str, Any], path: str) -> str:
        """Say where an object with these fields was told of; else remember that it is here."""
        fields = schema.get("properties", {})
        if len(fields) < LEAST:
            return ""
        text = json.dumps(fields, sort_keys=True)
        link = f"[{self.kind}](#{self.kind.lower()})"
        told = self.known.setdefault(text, f"`{path}` of {link}")
        return "" if told == f"`{path}` of {link}" else told


def _fields(schema: Mapping[str, Any], path: str, place: _Place) -> Iterator[Row]:
    required = set(schema.get("required", ()))
    for name, field in schema.get("properties", {}).items():
        if not path and name in ("apiVersion", "kind", "metadata"):
            continue
        here = f"{path}.{name}" if path else name
        inner, mark = _inner(field)
        told = place.seen(inner, here)
        text = field.get("description", "")
        rules = _rules(field)
        text += f" The API server asks: {rules}." if rules else ""
        text += f" Its fields are those of {told}." if told else ""
        kind = _type(field) + (", required" if name in required else "")
        yield code(here), kind, _default(field), text
        if not told:
            yield from _fields(inner, here + mark, place)


def _inner(field: Mapping[str, Any]) -> tuple[Mapping[str, Any], str]:
    """Give what a list or a map holds, and how a path writes it."""
    mark = ""
    while True:
        if "items" in field:
            field, mark = field["items"], f"{mark}[]"
        elif isinstance(field.get("additionalProperties"), dict):
            field, mark = field["additionalProperties"], f"{mark}.*"
        else:
            return field, mark


def _type(field: Mapping[str, Any]) -> str:
    if field.get("x-kubernetes-int-or-string"):
        return "integer or text"
    if "items" in field:
        return f"list of {_type(field['items'])}"
    if isinstance(field.get("additionalProperties"), dict):
        return f"map of {_type(field['additionalProperties'])}"
    values = [code(str(value)) if value != "" else '`""`' for value in field.get("enum", ())]
    if values:
        return f"one of {', '.join(values)}"
    names = {"string": "text", "date-time": "time", "int32": "integer", "int64": "integer"}
    if field.get("pattern") == DURATION_PATTERN:
        return "duration"
    plain = str(field.get("type", "anything"))
    kind = names.get(field.get("format", ""), names.get(plain, plain))
    return kind + _bounds(field)


def _bounds(field: Mapping[str, Any]) -> str:
    told = {"minimum": ">= {}", "maximum": "<= {}", "pattern": "as `{}`", "maxLength": "up to {}"}
    found = [text.format(field[name]) for name, text in told.items() if name in field]
    return f" ({', '.join(found)})" if found else ""


def _default(field: Mapping[str, Any]) -> str:
    return code(json.dumps(field["default"])) if "default" in field else ""


def _rules(schema: Mapping[str, Any]) -> str:
    """Give the rules of a schema itself in words; those of its fields are told there."""
    rules = schema.get("x-kubernetes-validations", ())
    return "; ".join(str(one.get("message", one["rule"])) for one in rules)
