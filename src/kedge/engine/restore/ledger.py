"""What became of each object, in the form of Velero's list of results."""

from collections.abc import Iterator
from enum import StrEnum

from kedge.archive.item import Place


class Result(StrEnum):
    """What became of an object."""

    CREATED = "created"
    UPDATED = "updated"
    SKIPPED = "skipped"
    FAILED = "failed"


class Ledger:
    """Counts and lists the objects that were looked at, each once."""

    def __init__(self) -> None:
        """Begin with none."""
        self.items = 0
        self._lists: dict[str, list[str]] = {}

    def add(self, key: str, place: Place, result: Result) -> None:
        """Enter an object by its kind, `apps/v1/Deployment`, and where it is now."""
        name = f"{place.namespace}/{place.name}" if place.namespace else place.name
        self._lists.setdefault(key, []).append(f"{name}({result})")
        self.items += 1

    def lists(self) -> dict[str, list[str]]:
        """Give all, sorted."""
        return dict(self._sorted())

    def _sorted(self) -> Iterator[tuple[str, list[str]]]:
        for key in sorted(self._lists):
            yield key, sorted(self._lists[key])
