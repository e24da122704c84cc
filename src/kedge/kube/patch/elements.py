"""Items of lists that are merged: which two are the same, and in which order they end up."""

from collections.abc import Callable
from typing import Any

from kedge.kube.gotext import to_text, type_text

Identity = tuple[type, Any]


class StrategicError(Exception):
    """Why a strategic merge patch does not apply, in Kubernetes' words."""


def bad_type(wanted: Any, found: Any) -> StrategicError:
    """Say that a value is not of the type that the place asks for."""
    return StrategicError(f"expected a {type_text(wanted)}, but received a {type_text(found)}")


def element_kind(*lists: list[Any]) -> type:
    """Give the type that all items have, or raise the error."""
    kinds = {type(item) for items in lists for item in items}
    if not kinds:
        raise StrategicError("no elements in any of the given slices")
    first = next(type(item) for items in lists for item in items)
    if first is list:
        raise StrategicError("lists of lists are not supported")
    if len(kinds) > 1 or first is type(None):
        raise StrategicError(f"list element types are not identical: {to_text(list(lists))}")
    return first


class Elements:
    """Compares items by a key that objects have, or as they are if there is no key."""

    def __init__(self, key: str) -> None:
        self.key = key

    def identity(self, item: Any) -> Identity:
        """Give what tells an item from the others, or raise the error that it has no key."""
        if self.key:
            if type(item) is not dict or self.key not in item:
                self.insist_on_key(item)
            item = item[self.key]
        kind = type(item)
        # What Go can not compare is taken by its text; type tells 1 from 1.0 and true.
        return kind, to_text(item) if kind is dict or kind is list else item

    def insist_on_key(self, item: Any) -> None:
        """Raise the error if an item is no object, or has no key."""
        if not isinstance(item, dict):
            raise bad_type({}, item)
        if self.key not in item:
            told = f"map: {to_text(item)} does not contain declared merge key"
            raise StrategicError(f"{told}: {self.key}")

    def identity_or_none(self, item: Any) -> Identity | None:
        """Give the identity of an item that may lack the key."""
        return self.identity(item) if self.key in item else None

    def equal(self, one: Any, other: Any) -> bool:
        """Tell whether two items are the same."""
        for item in (one, other):
            if self.key and not isinstance(item, dict):
                raise bad_type({}, item)
        return self.identity(one) == self.identity(other)

    def places(self, items: list[Any]) -> dict[Identity | None, int]:
        """Give where each object comes first."""
        found: dict[Identity | None, int] = {}
        for place, item in enumerate(items):
            found.setdefault(self.identity_or_none(item), place)
        found.pop(None, None)
        return found

    def distinct(self, items: list[Any]) -> list[Any]:
        """Leave out what comes again. The last item takes the free place, as in Kubernetes."""
        rest = list(items)
        place = 0
        seen: set[Identity] = set()
        while place < len(rest):
            identity = self.identity(rest[place])
            if identity in seen:
                last = rest.pop()
                if place < len(rest):
                    rest[place] = last
            else:
                seen.add(identity)
                place += 1
        return rest

    def in_order(self, merged: list[Any], *, wanted: list[Any], live: list[Any]) -> list[Any]:
        """Order items as `wanted` tells, and the others among them as they were in `live`."""
        told, others = self.split(merged, wanted)
        return self.arranged(told, others, wanted=wanted, live=live)

    def split(self, items: list[Any], wanted: list[Any]) -> tuple[list[Any], list[Any]]:
        """Tell the items that are in `wanted` from the others."""
        told: list[Any] = []
        others: list[Any] = []
        found, barrier = self._wanted(wanted)
        for item in items:
            if self.identity(item) in found:
                told.append(item)
            elif barrier is None:
                others.append(item)
            else:
                raise StrategicError(f"value for key {barrier} is not a map")
        return told, others

    def _wanted(self, items: list[Any]) -> tuple[set[Identity | None], int | None]:
        """Give identities up to the first item that can have none, and the place of that."""
        found: set[Identity | None] = set()
        for place, item in enumerate(items):
            if self.key and not isinstance(item, dict):
                return found, place
            found.add(self.identity_or_none(item) if self.key else self.identity(item))
        return found, None

    def arranged(
        self, told: list[Any], others: list[Any], *, wanted: list[Any], live: list[Any]
    ) -> list[Any]:
        """Sort the two parts, and put the others among the told."""
        wished, lived = self._indices(wanted), self._indices(live)
        told = _sorted(told, lambda item: wished.get(self.identity(item), -1))
        others = _sorted(others, lambda item: lived.get(self.identity(item), -1))
        return self._interleaved(others, told, lived)

    def _indices(self, items: list[Any]) -> dict[Identity, int]:
        found: dict[Identity, int] = {}
        for place, item in enumerate(items):
            found.setdefault(self.identity(item), place)
        return found

    def _interleaved(
        self, others: list[Any], told: list[Any], lived: dict[Identity, int]
    ) -> list[Any]:
        """Put each of the others before the first told item that came after it."""
        result: list[Any] = []
        waiting = iter(others)
        other = next(waiting, None)
        for item in told:
            place = lived.get(self.identity(item), -1)
            while other is not None and 0 <= lived.get(self.identity(other), -1) < place:
                result.append(other)
                other = next(waiting, None)
            result.append(item)
        if other is not None:
            result += [other, *waiting]
        return result


def _sorted(items: list[Any], place: Callable[[Any], int]) -> list[Any]:
    """Sort by place. Where one has none, Kubernetes' comparison has it go before its neighbours."""
    places = [(place(item), item) for item in items]
    if all(at >= 0 for at, _ in places):
        return [item for _, item in sorted(places, key=lambda pair: pair[0])]
    result: list[tuple[int, Any]] = []
    for at, item in places:
        index = len(result)
        while index > 0 and (at < 0 or result[index - 1][0] < 0 or at < result[index - 1][0]):
            index -= 1
        result.insert(index, (at, item))
    return [item for _, item in result]
