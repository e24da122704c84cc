"""Merge an applied configuration into the live object."""

from operator import is_
from typing import Any

from kedge.kube.apply.atoms import ABSENT, Atom, ListAtom, MapAtom
from kedge.kube.apply.compare import same

Object = dict[str, Any]


def merged(atom: Atom, live: Any, applied: Any) -> Any:
    """Give the live value with what the configuration says of it. Raises ElementError.

    Neither is changed. Where the configuration says nothing new, the live value itself comes back.
    """
    if live is ABSENT:
        return applied
    # To apply null to a map or a list is to say nothing about what is in it.
    is_map = live and isinstance(live, dict) and isinstance(applied, dict | None)
    if is_map and atom.map is not None and not atom.map.atomic:
        return _fields(atom.map, live, applied or {})
    is_list = live and isinstance(live, list) and isinstance(applied, list | None)
    if is_list and atom.list is not None and not atom.list.atomic:
        return _Lists(atom.list, live, applied or []).merged()
    return live if type(live) is type(applied) and same(live, applied) else applied


def _fields(atom: MapAtom, live: Object, applied: Object) -> Object:
    out = live
    for name, value in applied.items():
        before = live.get(name, ABSENT)
        after = merged(atom.child(name), before, value)
        if after is not before:
            out = dict(live) if out is live else out
            out[name] = after
    return out


class _Lists:
    """Two lists of items that have keys, or are their own keys.

    The result has the order of the configuration; what only the live list has stays where it was.
    """

    def __init__(self, atom: ListAtom, live: list[Any], applied: list[Any]) -> None:
        self.atom, self.live, self.applied = atom, live, applied
        self.left = [atom.element(item) for item in live]
        self.right = [atom.element(item) for item in applied]
        self.theirs = set(self.right)
        self.at = 0
        """The first item of the live list that has not found its place."""

    def merged(self) -> list[Any]:
        """Give the list of both."""
        ours = dict(zip(self.left, self.live, strict=True))
        if len(ours) < len(self.left):
            # Items that share a key are not merged with the new one.
            ours = {name: None if self.left.count(name) > 1 else ours[name] for name in ours}
        shared = [name for name in self.right if name in ours]
        out: list[Any] = []
        for element, item in zip(self.right, self.applied, strict=True):
            out += self.before(element, shared[0] if shared else None)
            out.append(merged(self.atom.item, ours.get(element, ABSENT), item))
            if element in ours:
                shared.pop(0)
        out += [
            item
            for name, item in zip(self.left[self.at :], self.live[self.at :], strict=True)
            if name not in self.theirs
        ]
        is_same = len(out) == len(self.live) and all(map(is_, out, self.live))
        return self.live if is_same else out

    def before(self, element: str, wanted: str | None) -> list[Any]:
        """Give the live items that go before one of the configuration.

        `wanted` is the next item that both lists have.
        """
        out: list[Any] = []
        while self.at < len(self.left):
            name = self.left[self.at]
            if name == element:
                self.at += 1
                break
            if name not in self.theirs:
                out.append(self.live[self.at])
            elif wanted is None or wanted == name:
                self.at += wanted is None  # merged before
                break
            self.at += 1
        return out
