"""Archives for tests: built by the standard library, with what an honest or a hostile hand does."""

import gzip
import io
import json
import tarfile
from collections.abc import Iterable, Sequence
from typing import Any

from kedge.archive.contents import Contents, ContentsBuilder
from kedge.archive.item import Item, Place
from kedge.archive.limits import DEFAULT, Limits
from kedge.archive.writer import ArchiveWriter

VERSION = ("metadata/version", b"1.1.0\n")


def obj(name: str, namespace: str = "", **more: Any) -> bytes:
    """Write an object as compact JSON."""
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    whole = {"apiVersion": "v1", "kind": "Thing", "metadata": metadata, **more}
    return json.dumps(whole, separators=(",", ":")).encode()


def item(resource: str, namespace: str, name: str, **more: Any) -> Item:
    """Make an item in version v1."""
    return Item(Place(resource, namespace, name), "v1", obj(name, namespace, **more))


def written(items: Iterable[Item], mtime: int = 1_700_000_000) -> bytes:
    """Write items with our writer."""
    writer = ArchiveWriter(mtime)
    chunks = []
    for one in items:
        writer.add(one)
        chunks.append(writer.take())
    return b"".join([*chunks, writer.finish()])


def tarred(
    members: Sequence[tuple[str, bytes] | tarfile.TarInfo], format_: int = tarfile.PAX_FORMAT
) -> bytes:
    """Write files with tarfile; a TarInfo stands for a member without data."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=format_) as tar:
        for member in members:
            if isinstance(member, tarfile.TarInfo):
                tar.addfile(member)
                continue
            info = tarfile.TarInfo(member[0])
            info.size = len(member[1])
            tar.addfile(info, io.BytesIO(member[1]))
    return raw.getvalue()


def packed(members: Sequence[tuple[str, bytes] | tarfile.TarInfo], format_: int = 2) -> bytes:
    """Write a `.tar.gz` with tarfile and gzip."""
    return gzip.compress(tarred(members, format_), mtime=0)


def plain(resource: str, namespace: str, name: str) -> str:
    """Give the path of an item without a version."""
    scope = f"namespaces/{namespace}" if namespace else "cluster"
    return f"resources/{resource}/{scope}/{name}.json"


def versioned(resource: str, version: str, namespace: str, name: str) -> str:
    """Give the path of an item in the folder of a version."""
    scope = f"namespaces/{namespace}" if namespace else "cluster"
    return f"resources/{resource}/{version}/{scope}/{name}.json"


def opened(data: bytes, limits: Limits = DEFAULT, step: int = 1000) -> Contents:
    """Read an archive in pieces."""
    builder = ContentsBuilder(io.BytesIO(), limits)
    for start in range(0, len(data), step):
        builder.feed(data[start : start + step])
    return builder.finish()


def everything(contents: Contents) -> dict[Place, bytes]:
    """Give all items of an archive."""
    return {
        one.place: one.data for resource in contents.resources for one in contents.items(resource)
    }
