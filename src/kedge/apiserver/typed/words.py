"""Go's words for JSON values in error messages."""

from typing import Any

from kedge.apiserver.typed.jsontext import Pairs


def word(value: Any) -> str:
    """Name a value as encoding/json does: string, number, bool, array, object."""
    if isinstance(value, str):
        return "string"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int | float):
        return "number"
    return "object" if isinstance(value, dict | Pairs) else "array"
