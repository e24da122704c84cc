"""What a `get` command has found, printed as its user has asked for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kedge.cli.objects import Column, Form, print_objects

if TYPE_CHECKING:
    from kedge.cli.selection import Found, Wanted
    from kedge.kube.kind import Kind, Object


def print_found(
    kind: Kind[Object],
    columns: Sequence[Column],
    found: Found,
    wanted: Wanted,
    form: Form,
) -> None:
    """Print what was found; for names of which none is there, nothing, not even an empty list."""
    if found.objects or not wanted.names:
        print_objects(kind, columns, found.objects, form, namespaces=wanted.everywhere)
