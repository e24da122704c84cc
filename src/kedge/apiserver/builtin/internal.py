"""Values as the server's own form of an object shows them in messages: see `internal_table`."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from kedge.apiserver.builtin.internal_table import TABLE
from kedge.kube.fielderror import Shown
from kedge.kube.gotext import Struct, to_json
from kedge.kube.metadata import FIELDS

ZERO: Mapping[str, Any] = {"s": "", "i": 0, "b": False, "q": "0"}
METADATA = tuple(name for name in FIELDS if name != "managedFields")
SELECTOR = ("matchLabels", "matchExpressions")
# The host's namespaces are fields of the pod in the API, and of its security context inside.
MOVED = ("hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers")
# On the way to the inner form, empty lists of these become none.
NEVER_EMPTY = ("Volume", "VolumeMount")
# Go's encoder escapes these, so that JSON can stand in a page of HTML.
ESCAPES = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)


class Field(NamedTuple):
    """One field: Go's name, the API's, and its type; a flat struct has no names."""

    go: str
    name: str
    type: str


def shown_struct(struct: str, value: Any) -> Shown:
    """Write a struct as a message does."""
    return Shown(to_json(internal_value(f"*{struct}", value)))


def shown_list(struct: str, values: Any) -> Shown:
    """Write a list of structs as a message does."""
    return Shown(to_json(internal_value(f"[{struct}", values)))


def shown_selector(selector: Any) -> Shown:
    """Write a label selector as a message does."""
    return Shown(to_json(internal_value("*sel", selector)))


def shown_raw(value: Any) -> Shown:
    """Write JSON that is kept as it came: its maps are in the order of their author."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return Shown(text.translate(ESCAPES))


def pretty_lines(struct: str, value: Any) -> list[str]:
    """Write the lines of a struct's JSON, indented by one space, for a diff."""
    text = json.dumps(internal_value(f"*{struct}", value), indent=1, ensure_ascii=False)
    return text.translate(ESCAPES).split("\n")


def internal_value(type_: str, value: Any) -> Any:
    """Give the value of an internal type, with every field there is, in Go's order."""
    mark, inner = type_[:1], type_[1:]
    if mark == "*":
        return None if value is None else internal_value(inner, value)
    if mark == "[":
        if value is None or (not value and inner in NEVER_EMPTY):
            return None
        return [internal_value(inner, one) for one in value]
    if mark == "{":
        return None if value is None else {key: value[key] for key in sorted(value)}
    if type_ in ZERO:
        return ZERO[type_] if value is None else value
    if type_ in ("sel", "meta"):
        return _known(type_, value or {})
    if type_ == "PodSpec":
        value = _with_moved(value or {})
    return _fields(type_, value or {})


def _fields(struct: str, value: Mapping[str, Any]) -> Struct:
    result = Struct()
    for go, name, type_ in _structs()[struct]:
        if go:
            result[go] = internal_value(type_, value.get(name))
        else:
            source = value.get("metadata") if type_ == "meta" else value
            result.update(internal_value(type_, source))
    return result


def _with_moved(spec: Mapping[str, Any]) -> dict[str, Any]:
    context = dict(spec.get("securityContext") or {})
    context.update((name, spec[name]) for name in MOVED if name in spec)
    return {**spec, "securityContext": context}


def _known(type_: str, value: Mapping[str, Any]) -> Struct:
    """Give the value of a type that keeps the API's names, and leaves out what is empty."""
    order = SELECTOR if type_ == "sel" else METADATA
    result = Struct((name, value[name]) for name in order if value.get(name))
    for name in ("labels", "annotations", "matchLabels"):
        if name in result:
            result[name] = {key: result[name][key] for key in sorted(result[name])}
    if "matchExpressions" in result:
        result["matchExpressions"] = [_requirement(one) for one in result["matchExpressions"]]
    return result


def _requirement(rule: Mapping[str, Any]) -> Struct:
    shown = Struct(key=rule.get("key", ""), operator=rule.get("operator", ""))
    if rule.get("values"):
        shown["values"] = rule["values"]
    return shown


@cache
def _structs() -> dict[str, list[Field]]:
    joined = TABLE.replace("\n  ", " ")
    rows = (line.split() for line in joined.splitlines())
    return {name: [_field(word) for word in words] for name, *words in rows}


def _field(word: str) -> Field:
    if word.startswith("+"):
        return Field("", "", word[1:])
    names, _, type_ = word.partition(":")
    go, _, name = names.partition("=")
    return Field(go, name or go[:1].lower() + go[1:], type_)
