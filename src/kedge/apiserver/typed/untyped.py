"""Values in places without a type: plain dicts and lists, numbers as Go keeps them."""

from typing import Any, Protocol

from kedge.apiserver.typed.errors import TypeMismatch
from kedge.apiserver.typed.jsontext import Pairs
from kedge.kube.gonumbers import INT64, as_json_number, number_text


class Notes(Protocol):
    """Where doubled keys are noted."""

    def add(self, kind: str, path: str) -> None:
        """Note a `duplicate` field."""


def untyped(value: Any, path: str, strict: Notes) -> Any:
    """Give the value as an interface of Go holds it; raises TypeMismatch beyond float64."""
    if isinstance(value, Pairs):
        result: dict[str, Any] = {}
        for key, item in value:
            where = f"{path}.{key}" if path else key
            if key in result:
                strict.add("duplicate", where)
            result[key] = untyped(item, where, strict)
        return result
    if isinstance(value, dict):
        return {
            key: untyped(item, f"{path}.{key}" if path else key, strict)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [untyped(item, f"{path}[{index}]", strict) for index, item in enumerate(value)]
    if isinstance(value, float):
        if value in (float("inf"), float("-inf")):
            raise TypeMismatch(f"number {number_text(value)}", "float64")
        return as_json_number(value)
    if type(value) is int and value not in INT64:
        return float(value)
    return value
