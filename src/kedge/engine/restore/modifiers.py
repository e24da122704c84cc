"""Rules of a ConfigMap by which objects are changed while they are restored: reading them."""

import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import msgspec
import yaml

from kedge.api.velero.selector import LabelSelector
from kedge.kube.foreign import cut

VERSION: Final = "v1"
OPERATIONS: Final = ("add", "remove", "replace", "test", "move", "copy")
LARGEST: Final = 1_000_000
"""Values in a document: those of the largest ConfigMap, unless it refers to its parts too often."""
_MERGE: Final = "tag:yaml.org,2002:merge"


class ModifiersError(ValueError):
    """Text that holds no rules; says why."""


class _Strict(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """A part of the rules: what is not known is refused."""


class Match(_Strict, frozen=True):
    """A value that an object must have."""

    path: str = ""
    value: str = ""


class Conditions(_Strict, frozen=True, dict=True):
    """Which objects a rule is for."""

    group_resource: str = ""
    namespaces: list[str] | None = None
    """Of the backup, not those into which the objects go."""
    resource_name_regex: str = ""
    label_selector: LabelSelector | None = None
    matches: list[Match] | None = None

    @cached_property
    def name(self) -> re.Pattern[str]:
        """What the names are like; raises ModifiersError."""
        try:
            with warnings.catch_warnings():
                # [[:alpha:]] and the like would mean something else here than in Go.
                warnings.simplefilter("error", FutureWarning)
                return re.compile(self.resource_name_regex)
        except (re.error, FutureWarning) as exc:
            raise ModifiersError(f"error in matching regex {exc}") from None


class JsonPatch(_Strict, frozen=True):
    """One operation of a JSON patch."""

    operation: str = ""
    path: str = ""
    from_: str = msgspec.field(default="", name="from")
    value: str = ""


class Data(_Strict, frozen=True):
    """A patch as YAML or JSON."""

    patch_data: str = ""


class Rule(_Strict, frozen=True):
    """What is changed on which objects."""

    conditions: Conditions = Conditions()
    patches: list[JsonPatch] | None = None
    merge_patches: list[Data] | None = None
    strategic_patches: list[Data] | None = None


class _Document(_Strict, frozen=True):
    version: str = ""
    resource_modifier_rules: list[Rule] | None = None


@dataclass(frozen=True, slots=True)
class Modifiers:
    """The rules, in their order."""

    version: str = VERSION
    rules: tuple[Rule, ...] = ()


class _Loader(yaml.CSafeLoader):
    """Reads YAML as one reads JSON: keys are texts, and one that stands twice is refused."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Make a table of a node."""
        seen: set[str] = set()
        for key_node, _ in node.value:
            if key_node.tag == _MERGE:
                continue
            key = self._key(key_node)
            if key in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f'key "{key}" already set in map', key_node.start_mark
                )
            seen.add(key)
        self.flatten_mapping(node)
        return {self._key(key): self.construct_object(each, deep) for key, each in node.value}

    def _key(self, node: yaml.Node) -> str:
        key = _as_text(self.construct_object(node, deep=True))
        if not isinstance(key, str):
            raise yaml.constructor.ConstructorError(
                None, None, f"the key {key!r} is no text", node.start_mark
            )
        return key


# Times stay texts, as they are for a reader of JSON.
_Loader.yaml_implicit_resolvers = {
    mark: [each for each in resolvers if each[0] != "tag:yaml.org,2002:timestamp"]
    for mark, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}


def _as_text(value: Any) -> Any:
    """Write a number or a truth as the text that Velero takes it for; others stay as they are."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else value


def read_yaml(text: str) -> Any:
    """Read YAML, or JSON, of a user; raises ModifiersError."""
    try:
        found = yaml.load(text, _Loader)
        size = _size(found, {})
    except RecursionError:
        raise ModifiersError("it is nested too deeply, or in itself") from None
    except (yaml.YAMLError, ValueError) as exc:
        raise ModifiersError(cut(" ".join(str(exc).split()))) from None
    if size > LARGEST:
        raise ModifiersError("document contains excessive aliasing")
    return found


def _size(value: Any, known: dict[int, int]) -> int:
    """Count the values in a value; what stands once and is meant often counts as often."""
    if not isinstance(value, dict | list):
        return 1
    if id(value) not in known:
        inner = value.values() if isinstance(value, dict) else value
        known[id(value)] = 1 + sum(_size(each, known) for each in inner)
    return known[id(value)]


def read(data: Mapping[str, str] | None, where: str) -> Modifiers:
    """Read the rules of a ConfigMap, `where` being its namespace/name; raises ModifiersError."""
    if data is None or len(data) != 1:
        raise ModifiersError(f"illegal resource modifiers {where} configmap")
    (text,) = data.values()
    try:
        found = read_yaml(text)
        document = msgspec.convert(_in_texts(found or {}), _Document)
    except (ModifiersError, msgspec.ValidationError) as exc:
        told = f"failed to decode yaml data into resource modifiers, err: {exc}"
        raise ModifiersError(told) from None
    return Modifiers(document.version, tuple(document.resource_modifier_rules or ()))


def _in_texts(value: Any) -> Any:
    """Give a document without nulls, all of whose values are texts: rules have no others."""
    if isinstance(value, dict):
        return {key: _in_texts(each) for key, each in value.items() if each is not None}
    return [_in_texts(each) for each in value] if isinstance(value, list) else _as_text(value)


def problem(modifiers: Modifiers) -> str:
    """Say what is wrong with the rules; empty: nothing."""
    if modifiers.version.lower() != VERSION:
        return f"unsupported resource modifier version {modifiers.version}"
    if not modifiers.rules:
        return "resource modifier rules cannot be empty"
    return next((found for rule in modifiers.rules if (found := _rule_problem(rule))), "")


def _rule_problem(rule: Rule) -> str:
    if not rule.conditions.group_resource:
        return "groupkResource cannot be empty"
    given = [rule.patches, rule.merge_patches, rule.strategic_patches]
    if sum(bool(each) for each in given) > 1:
        return "only one of patches, mergePatches, strategicPatches can be specified"
    for patch in rule.patches or ():
        if not patch.operation:
            return "operation cannot be empty"
        if patch.operation.lower() not in OPERATIONS:
            return f"unsupported operation {patch.operation}"
        if not patch.path:
            return "path cannot be empty"
    return ""
