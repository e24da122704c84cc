"""What is left of a cluster when all that differs between two runs is taken away."""

import re
from collections.abc import Iterable
from typing import Any

import msgspec

from kedge.testing.client import Client, Object

UID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
TIME = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
VERSIONS = {"resourceVersion"}
DROPPED = {"managedFields"}
"""They hold who wrote what and when, and nothing that a controller decides on."""


async def state_of(client: Client, *paths: str) -> list[Object]:
    """Read the objects of these collections, masked and in order."""
    found: list[Object] = []
    for path in paths:
        answer = await client.get(path)
        kind, version = answer["kind"].removesuffix("List"), answer["apiVersion"]
        found += ({"apiVersion": version, "kind": kind, **one} for one in answer["items"])
    return masked(found)


def masked(objects: Iterable[Object]) -> list[Object]:
    """Take uids, versions, times and generated names away; sort what is left.

    The uid of an object that is among them becomes the name of that object, wherever it stands, so
    that an owner reference to the wrong one still differs.
    """
    all_of_them = list(objects)
    words = {}
    for one in all_of_them:
        metadata = one.get("metadata", {})
        name = _stable_name(metadata)
        if prefix := metadata.get("generateName"):
            words[metadata["name"]] = f"{prefix}<generated>"
        if uid := metadata.get("uid"):
            place = f"{metadata['namespace']}/{name}" if "namespace" in metadata else name
            words[uid] = f"<uid of {one.get('kind', '')} {place}>"
    return sorted((_mask(one, words) for one in all_of_them), key=_order)


def _stable_name(metadata: dict[str, Any]) -> str:
    prefix = metadata.get("generateName")
    return f"{prefix}<generated>" if prefix else str(metadata.get("name"))


def _order(one: Object) -> bytes:
    return msgspec.json.encode(one, order="deterministic")


def _mask(value: Any, words: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {
            key: "<version>" if key in VERSIONS else _mask(inner, words)
            for key, inner in value.items()
            if key not in DROPPED
        }
    if isinstance(value, list):
        return [_mask(inner, words) for inner in value]
    return _mask_text(value, words) if isinstance(value, str) else value


def _mask_text(text: str, words: dict[str, str]) -> str:
    if text in words:
        return words[text]
    return TIME.sub("<time>", UID.sub(lambda found: words.get(found[0], "<uid>"), text))
