"""A value beside the one it replaces: what did not change may stay as wrong as it was."""

from typing import Any

from kedge.apiserver.crd.schema.rule import Rule
from kedge.apiserver.crd.schema.same import same

_SCALARS = (bool, float, int, str)


class Twin:
    """A value, the old value that corresponds to it, and the rule both stand under."""

    __slots__ = ("_children", "_equal", "_old_items", "old", "rule", "value")

    def __init__(self, value: Any, old: Any, rule: Rule) -> None:
        """Pair the values."""
        self.value = value
        self.old = old
        self.rule = rule
        self._children: dict[str | int, Twin] = {}
        self._equal: bool | None = None
        self._old_items: OldItems | None = None

    def key(self, name: str) -> "Twin | None":
        """Give the pair below a field, if both sides have it and the schema knows it."""
        found = self._children.get(name)
        if found is not None:
            return found
        if not isinstance(self.old, dict) or not isinstance(self.value, dict):
            return None
        if name not in self.old or name not in self.value:
            return None
        rule = self.rule.properties.get(name) or self.rule.additional
        return None if rule is None else self._keep(name, self.value[name], self.old[name], rule)

    def index(self, position: int) -> "Twin | None":
        """Give the pair of a list's item: only items of a list of type map correspond."""
        found = self._children.get(position)
        if found is not None:
            return found
        if not isinstance(self.old, list) or not isinstance(self.value, list):
            return None
        if self.rule.items is None or self.rule.list_type != "map":
            return None
        if self._old_items is None:
            self._old_items = OldItems(self.rule, self.old)
        item = self.value[position]
        old = self._old_items.find(item)
        return None if old is None else self._keep(position, item, old, self.rule.items)

    def _keep(self, name: str | int, value: Any, old: Any, rule: Rule) -> "Twin":
        twin = self._children[name] = Twin(value, old, rule)
        return twin

    @property
    def is_equal(self) -> bool:
        """Whether the value is as before; fields that the schema does not know count as changed."""
        if self._equal is None:
            self._equal = self._compare()
        return self._equal

    def _compare(self) -> bool:
        value, old = self.value, self.old
        if isinstance(value, dict) and isinstance(old, dict):
            return len(value) == len(old) and all(_is_equal(self.key(name)) for name in value)
        if isinstance(value, list) and isinstance(old, list):
            return len(value) == len(old) and self._compare_items(value, old)
        return same(value, old)

    def _compare_items(self, value: list[Any], old: list[Any]) -> bool:
        for position in range(len(value)):
            twin = self.index(position)
            if twin is None:
                return self._old_items is None and same(value, old)
            if not twin.is_equal:
                return False
        return True


def _is_equal(twin: Twin | None) -> bool:
    return twin is not None and twin.is_equal


class OldItems:
    """The items of an old list of type map, by their keys."""

    __slots__ = ("_by_key", "_keys")

    def __init__(self, rule: Rule, items: list[Any]) -> None:
        """Enter the items; of two with the same key the first counts."""
        self._keys = rule.list_keys if rule.types == ("array",) and rule.list_type == "map" else ()
        self._by_key: dict[Any, Any] = {}
        for item in items:
            key = self._key_of(item)
            if key is not None:
                self._by_key.setdefault(key, item)

    def find(self, item: Any) -> Any:
        """Give the old item with the same keys, or None."""
        key = self._key_of(item)
        return None if key is None else self._by_key.get(key)

    def _key_of(self, item: Any) -> tuple[tuple[type, Any], ...] | None:
        if not isinstance(item, dict) or not self._keys:
            return None
        values = [item.get(name) for name in self._keys]
        if any(not isinstance(value, _SCALARS) for value in values):
            return None
        return tuple((value.__class__, value) for value in values)
