"""The order in which backups are listed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cmp_to_key
from typing import TYPE_CHECKING, Final

from kedge.cli.objects import part

if TYPE_CHECKING:
    from kedge.kube.kind import Object

_STAMPED: Final = re.compile(r"(.*)(-[0-9]{14})", re.DOTALL | re.ASCII)


def in_order(backups: Sequence[Object]) -> list[Object]:
    """Sort by namespace and name; those of one schedule with the newest first."""
    return sorted(backups, key=cmp_to_key(_compared))


def _compared(one: Object, other: Object) -> int:
    places = part(one, "metadata", "namespace") or "", part(other, "metadata", "namespace") or ""
    if places[0] != places[1]:
        return -1 if places[0] < places[1] else 1
    name, another = part(one, "metadata", "name") or "", part(other, "metadata", "name") or ""
    stamped, other_stamped = _STAMPED.fullmatch(name), _STAMPED.fullmatch(another)
    if stamped and other_stamped and stamped[1] == other_stamped[1]:
        name, another = other_stamped[2], stamped[2]
    return (name > another) - (name < another)
