"""What is wrong with one field, in Kubernetes' words."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from kedge.kube.gotext import float_text, quote, to_json

# Kinds of field error: the text of the message and the reason in a Status cause.
REQUIRED: Final = "Required value"
INVALID: Final = "Invalid value"
NOT_SUPPORTED: Final = "Unsupported value"
DUPLICATE: Final = "Duplicate value"
FORBIDDEN: Final = "Forbidden"
NOT_FOUND: Final = "Not found"
TOO_LONG: Final = "Too long"
TOO_MANY: Final = "Too many"
INTERNAL: Final = "Internal error"

REASONS: Final = {
    REQUIRED: "FieldValueRequired",
    INVALID: "FieldValueInvalid",
    NOT_SUPPORTED: "FieldValueNotSupported",
    DUPLICATE: "FieldValueDuplicate",
    FORBIDDEN: "FieldValueForbidden",
    NOT_FOUND: "FieldValueNotFound",
    TOO_LONG: "FieldValueTooLong",
    TOO_MANY: "FieldValueTooMany",
    INTERNAL: "InternalError",
}
TYPE_INVALID_REASON: Final = "FieldValueTypeInvalid"
WITHOUT_VALUE: Final = frozenset({REQUIRED, FORBIDDEN, TOO_LONG, INTERNAL})

OMITTED: Final[Any] = type("Omitted", (), {"__repr__": lambda self: "OMITTED"})()
"""A value that is not shown, though the kind of error shows one."""


class Shown(str):
    """A value that is already written the way the message shall show it."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class FieldError:
    """One broken rule: which field, which kind of error, the value it has, and the rule."""

    kind: str
    field: str
    value: Any = None
    detail: str = ""
    reason: str = ""  # where it is not the usual one of the kind (FieldValueTypeInvalid)

    @property
    def body(self) -> str:
        """The message without the field."""
        text = self.kind
        if text not in WITHOUT_VALUE and self.value is not OMITTED:
            text = f"{text}: {show(self.value)}"
        return f"{text}: {self.detail}" if self.detail else text

    @property
    def cause(self) -> dict[str, str]:
        """The entry in a Status's causes."""
        cause = {"reason": self.reason or REASONS[self.kind], "message": self.body}
        if self.field:
            cause["field"] = self.field
        return cause

    def __str__(self) -> str:
        """Write the message as a person reads it."""
        return f"{self.field}: {self.body}"


def show(value: Any) -> str:
    """Write a value as messages do: text quoted, simple values plain, the rest as JSON."""
    if isinstance(value, Shown):
        return str(value)
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, float):
        return float_text(value)
    return to_json(value)


def typed(value: str) -> Shown:
    """Mark text of a named Go type (a UID, an operator): shown as JSON, not by `%q`."""
    return Shown(to_json(value))


def required(field: str, detail: str = "") -> FieldError:
    """Say that a value is missing."""
    return FieldError(REQUIRED, field, "", detail)


def invalid(field: str, value: Any, detail: str) -> FieldError:
    """Say that the value breaks a rule."""
    return FieldError(INVALID, field, value, detail)


def type_invalid(field: str, value: Any, detail: str) -> FieldError:
    """Say that the value is not of the type that the schema asks for."""
    return FieldError(INVALID, field, value, detail, TYPE_INVALID_REASON)


def not_supported(field: str, value: Any, supported: Iterable[str]) -> FieldError:
    """Say that the value is none of those that are known."""
    values = ", ".join(map(quote, supported))
    return FieldError(NOT_SUPPORTED, field, value, f"supported values: {values}" if values else "")


def duplicate(field: str, value: Any) -> FieldError:
    """Say that the value is there twice."""
    return FieldError(DUPLICATE, field, value)


def forbidden(field: str, detail: str) -> FieldError:
    """Say that the value may not be set here and now."""
    return FieldError(FORBIDDEN, field, "", detail)


def not_found(field: str, value: Any) -> FieldError:
    """Say that what the value points to is not there."""
    return FieldError(NOT_FOUND, field, value)


def too_long(field: str, limit: int) -> FieldError:
    """Say that the value has more bytes than `limit`; a negative limit is not told."""
    unit = "byte" if limit == 1 else "bytes"
    detail = f"may not be more than {limit} {unit}" if limit >= 0 else "value is too long"
    return FieldError(TOO_LONG, field, "<value omitted>", detail)


def too_many(field: str, actual: int, limit: int) -> FieldError:
    """Say that the list has more items than `limit`; negative numbers are not told."""
    unit = "item" if limit == 1 else "items"
    detail = f"must have at most {limit} {unit}" if limit >= 0 else "has too many items"
    return FieldError(TOO_MANY, field, actual if actual >= 0 else OMITTED, detail)


def internal(field: str, detail: str) -> FieldError:
    """Say that the check itself failed."""
    return FieldError(INTERNAL, field, None, detail)


def aggregate(errors: Sequence[FieldError]) -> str:
    """Join all errors in one text: each once, in brackets if there are several."""
    texts = list(dict.fromkeys(map(str, errors)))
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
