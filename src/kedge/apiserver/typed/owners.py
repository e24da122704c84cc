"""An empty list of owners in a body: unlike none at all it asks to forget who owns what."""

from typing import Any


def forgets_owners(value: Any) -> bool:
    """Whether a parsed object, which is not decoded yet, has an empty list of managedFields."""
    meta = value.get("metadata") if type(value) is dict else None
    return type(meta) is dict and meta.get("managedFields") == []


def forget_owners(obj: dict[str, Any]) -> None:
    """Put the empty list back into a decoded object: decoding drops what is empty."""
    obj["metadata"]["managedFields"] = []
