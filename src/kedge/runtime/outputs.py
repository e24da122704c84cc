"""What a watcher tells: a list begins, events, the list is complete."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import msgspec

from kedge.client.decoders import Event


@dataclass(frozen=True, slots=True)
class Restarted:
    """A new list begins: what is not in it is gone."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Events in their order, their objects as bytes; while a list is read, all are ADDED."""

    events: Sequence[Event[msgspec.Raw]]


@dataclass(frozen=True, slots=True)
class Synced:
    """The list is complete."""


Output: TypeAlias = Restarted | Batch | Synced
RESTARTED: Final = Restarted()
SYNCED: Final = Synced()
