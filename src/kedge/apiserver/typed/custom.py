"""Types that read their own JSON: times, quantities, int-or-string, raw values, unions."""

from collections.abc import Callable
from typing import Any, Final

from kedge.apiserver.typed.errors import TypeMismatch
from kedge.apiserver.typed.jsontext import Pairs
from kedge.apiserver.typed.untyped import untyped
from kedge.apiserver.typed.words import word
from kedge.kube.goerror import GoError
from kedge.kube.gonumbers import INT32, number_text
from kedge.kube.quantity import QuantityError, canonical_quantity
from kedge.kube.times import TimeError, canonical_micro_time, canonical_time

Within = Callable[[Any], Any]
"""Reads the schema in a union."""


class _Silence:
    """Raw JSON is not looked into: doubled keys go unnoticed."""

    def add(self, kind: str, path: str) -> None:
        pass


_SILENCE: Final = _Silence()


def _time(value: Any, within: Within) -> Any:
    return _clock(value, canonical_time)


def _micro_time(value: Any, within: Within) -> Any:
    return _clock(value, canonical_micro_time)


def _clock(value: Any, canonical: Callable[[str], str | None]) -> Any:
    if value is None:
        return None
    if not isinstance(value, str):
        raise TypeMismatch(word(value), "string")
    try:
        return canonical(value)
    except TimeError as exc:
        raise GoError(str(exc)) from None


def _quantity(value: Any, within: Within) -> Any:
    if value is None:
        return "0"
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        value = "{}"  # any text that is no quantity: Go reads the JSON itself as one
    try:
        return canonical_quantity(value.strip() if isinstance(value, str) else number_text(value))
    except QuantityError as exc:
        raise GoError(str(exc)) from None


def _int_or_string(value: Any, within: Within) -> Any:
    if value is None:
        return 0
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeMismatch(word(value), "int32")
    if isinstance(value, float) or value not in INT32:
        raise TypeMismatch(f"number {number_text(value)}", "int32")
    return value


def _raw(value: Any, within: Within) -> Any:
    return untyped(value, "", _SILENCE)


def _schema_or_bool(value: Any, within: Within) -> Any:
    if isinstance(value, bool):
        return value
    if isinstance(value, dict | Pairs):
        return within(value)
    raise GoError("boolean or JSON schema expected")


def _schema_or_array(value: Any, within: Within) -> Any:
    if isinstance(value, dict | Pairs):
        return within(value)
    if isinstance(value, list) and value:
        return [within(item) for item in value]
    return None


def _schema_or_strings(value: Any, within: Within) -> Any:
    if isinstance(value, dict | Pairs):
        return within(value)
    if not isinstance(value, list) or not value:
        return None
    for item in value:
        if not isinstance(item, str | None):
            raise TypeMismatch(word(item), "string")
    return [item or "" for item in value]


CUSTOM_TYPES: Final[dict[str, Callable[[Any, Within], Any]]] = {
    "date-time": _time,
    "micro-time": _micro_time,
    "quantity": _quantity,
    "int-or-string": _int_or_string,
    "raw": _raw,
    "fields": _raw,
    "json": _raw,
    "schema-or-bool": _schema_or_bool,
    "schema-or-array": _schema_or_array,
    "schema-or-strings": _schema_or_strings,
}
"""What reads a value, by the format of its schema. Raises GoError; TypeMismatch without a place."""
