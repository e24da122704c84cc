"""Rules of a ConfigMap by which objects are changed while they are restored: reading them."""

import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import msgspec

from kedge.api.velero.selector import LabelSelector
from kedge.engine.ruletext import RuleTextError, read_rules
from kedge.kube.yamlscalars import Dialect

VERSION: Final = "v1"
OPERATIONS: Final = ("add", "remove", "replace", "test", "move", "copy")


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


def read(data: Mapping[str, str] | None, where: str) -> Modifiers:
    """Read the rules of a ConfigMap, `where` being its namespace/name; raises ModifiersError."""
    if data is None or len(data) != 1:
        raise ModifiersError(f"illegal resource modifiers {where} configmap")
    (text,) = data.values()
    try:
        document = read_rules(text, _Document, Dialect.V2)
    except RuleTextError as exc:
        told = f"failed to decode yaml data into resource modifiers, err: {exc}"
        raise ModifiersError(told) from None
    return Modifiers(document.version, tuple(document.resource_modifier_rules or ()))


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
