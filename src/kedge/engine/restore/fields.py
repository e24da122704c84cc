"""Parts of objects that nobody has checked: what is not of the expected type counts as absent."""

from collections.abc import Iterator
from typing import Any

from kedge.kube.kind import Object


def value(obj: Object, *path: str) -> Any:
    """Give what stands at a path; None: nothing."""
    found: Any = obj
    for key in path:
        if not isinstance(found, dict):
            return None
        found = found.get(key)
    return found


def table(obj: Object, *path: str) -> Object:
    """Give the object at a path, to be read or changed; an empty one that is nowhere, if none."""
    found = value(obj, *path)
    return found if isinstance(found, dict) else {}


def made(obj: Object, *path: str) -> Object:
    """Give the object at a path, to be changed; it is made where there is none."""
    found = obj
    for key in path:
        inner = found.get(key)
        if not isinstance(inner, dict):
            inner = found[key] = {}
        found = inner
    return found


def rows(obj: Object, *path: str) -> Iterator[Object]:
    """Go through the objects of the list at a path."""
    found = value(obj, *path)
    if isinstance(found, list):
        yield from (each for each in found if isinstance(each, dict))


def text(obj: Object, *path: str) -> str:
    """Give the text at a path; empty: none."""
    found = value(obj, *path)
    return found if isinstance(found, str) else ""


def labels(obj: Object) -> Object:
    """Give the labels of an object, to be read."""
    return table(obj, "metadata", "labels")


def annotations(obj: Object) -> Object:
    """Give the annotations of an object, to be read, or to be shortened."""
    return table(obj, "metadata", "annotations")


def drop(table_: Object, *keys: str) -> None:
    """Take fields away, those that are there."""
    for key in keys:
        table_.pop(key, None)


def drop_annotations(obj: Object, *keys: str) -> None:
    """Take annotations away; none at all are left rather than an empty table."""
    found = annotations(obj)
    if not found:
        return
    drop(found, *keys)
    if not found:
        obj["metadata"].pop("annotations")
