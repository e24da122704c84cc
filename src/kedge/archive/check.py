"""Whether a file holds the object that its path promises."""

from typing import Final

import msgspec

from kedge.archive.errors import shown
from kedge.archive.item import Place


class _Metadata(msgspec.Struct):
    name: str
    namespace: str | None = None


class _Head(msgspec.Struct, rename="camel"):
    api_version: str
    kind: str
    metadata: _Metadata


_DECODER: Final = msgspec.json.Decoder(_Head)


class Wrong(Exception):
    """A file does not hold what it should; the text says why."""


def check_item(place: Place, data: bytes) -> str:
    """Give the version of the API that an item was kept in; raises Wrong."""
    try:
        head = _DECODER.decode(data)
        if not data.isascii():
            data.decode()
    except RecursionError:
        raise Wrong("its JSON is nested too deeply") from None
    except (msgspec.MsgspecError, UnicodeDecodeError) as exc:
        raise Wrong(f"it is not the JSON of an object: {shown(str(exc))}") from None
    metadata = head.metadata
    if metadata.name != place.name:
        raise Wrong(f"it is an object with another name, {shown(metadata.name)!r}")
    if (metadata.namespace or "") != place.namespace:
        where = (
            f"in the namespace {shown(metadata.namespace)!r}" if metadata.namespace else "in none"
        )
        raise Wrong(f"it is an object in another namespace: {where}")
    if not head.kind or not head.api_version:
        raise Wrong("its apiVersion or kind is empty")
    return head.api_version.rpartition("/")[2]
