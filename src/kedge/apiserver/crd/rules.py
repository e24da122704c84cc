"""The CEL rules of a schema (x-kubernetes-validations), compiled once and run on every write."""

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from kedge.apiserver.crd.cel.compiler import Checked, compile_text
from kedge.apiserver.crd.cel.declare import Declaration, declare
from kedge.apiserver.crd.cel.evaluate import Program
from kedge.apiserver.crd.cel.types import optional_of
from kedge.apiserver.crd.cel.value import NOTHING, CelError, CostError, Optional
from kedge.apiserver.crd.fieldpath import FieldPathError, resolve
from kedge.apiserver.crd.schema.place import child, shown
from kedge.apiserver.crd.schema.rule import Rule
from kedge.apiserver.crd.schema.twin import OldItems, Twin
from kedge.apiserver.crd.spot import KEY
from kedge.kube.fielderror import FieldError, duplicate, forbidden, invalid, required

Json = dict[str, Any]

SELF, OLD = "self", "oldSelf"
MAX_MESSAGE = 5 * 1024
_NOTHING_MORE = "no further validation rules will be run due to call cost exceeds limit for rule"


@dataclass(slots=True, eq=False)
class CompiledRule:
    """One rule, with what its parts are compiled to."""

    rule: Json
    checked: Checked
    program: Program | None
    message: Program | None
    place: str
    """Where its failures are told, below the value it stands at."""

    @property
    def uses_old(self) -> bool:
        """Whether it compares with the old value."""
        return OLD in self.checked.names

    @property
    def takes_optional(self) -> bool:
        """Whether it runs without an old value, too."""
        return bool(self.rule.get("optionalOldSelf"))

    @property
    def shown(self) -> str:
        """How messages name it."""
        return str(self.rule.get("message") or self.rule.get("rule") or "").strip()


@dataclass(slots=True, eq=False)
class RuleNode:
    """The rules of one node of a schema, and those below it."""

    kind: str
    rules: list[CompiledRule]
    shape: Rule
    properties: dict[str, "RuleNode"] = field(default_factory=dict)
    additional: "RuleNode | None" = None
    items: "RuleNode | None" = None

    def run(self, obj: Any, old: Any, twin: Twin | None, path: str = "") -> "RuleRun":
        """Run all rules on a value."""
        run = RuleRun()
        run.check(self, obj, old, twin, path)
        return run


def variables_of(rule: Json, declaration: Declaration) -> dict[str, Any]:
    """Give the types of the variables that a rule sees."""
    kind = declaration.type
    return {SELF: kind, OLD: optional_of(kind) if rule.get("optionalOldSelf") else kind}


def compile_rule(rule: Json, schema: Json, declaration: Declaration) -> CompiledRule:
    """Compile one rule at its node; one that does not compile has no program."""
    checked = compile_text(rule.get("rule") or "", variables_of(rule, declaration))
    program = checked.program((SELF, OLD)) if not checked.issues else None
    message = None
    if rule.get("messageExpression"):
        told = compile_text(rule["messageExpression"], variables_of(rule, declaration))
        message = told.program((SELF, OLD)) if not told.issues else None
    place = ""
    if rule.get("fieldPath"):
        try:
            place = resolve(rule["fieldPath"], schema)[0]
        except FieldPathError:
            place = ""
    return CompiledRule(rule, checked, program, message, place)


def compile_rules(schema: Json, shape: Rule, is_resource: bool) -> RuleNode | None:
    """Compile the rules of a schema; None if there are none."""
    own = schema.get(KEY) or []
    declaration = declare(schema, "selfType", is_resource) if own else None
    rules = []
    if declaration is not None:
        rules = [compile_rule(rule, schema, declaration) for rule in own]
    node = RuleNode(schema.get("type") or "", rules, shape)
    for name, part in sorted((schema.get("properties") or {}).items()):
        below = compile_rules(part, shape.properties[name], _is_embedded(part))
        if below is not None:
            node.properties[name] = below
    more, items = schema.get("additionalProperties"), schema.get("items")
    if isinstance(more, dict) and shape.additional is not None:
        node.additional = compile_rules(more, shape.additional, _is_embedded(more))
    if isinstance(items, dict) and shape.items is not None:
        node.items = compile_rules(items, shape.items, _is_embedded(items))
    has_any = node.rules or node.properties or node.additional or node.items
    return node if has_any else None


def _is_embedded(schema: Json) -> bool:
    return bool(schema.get("x-kubernetes-embedded-resource"))


class _StopError(Exception):
    """No further rules are to be run."""


class RuleRun:
    """One run of all rules over one object."""

    def __init__(self) -> None:
        """Begin with nothing found."""
        self.errors: list[FieldError] = []
        self.warnings: list[str] = []

    def check(self, node: RuleNode, obj: Any, old: Any, twin: Twin | None, path: str = "") -> None:
        """Run the rules of a node and those below it; `twin` is for what has not changed."""
        with suppress(_StopError):
            self._check(node, obj, old, _Ratchet(twin, None), path)

    def _check(self, node: RuleNode, obj: Any, old: Any, ratchet: "_Ratchet", path: str) -> None:
        if obj is None:
            return
        for rule in node.rules:
            self._rule(node, rule, obj, old, ratchet, path)
        if isinstance(obj, list):
            self._items(node, obj, old, ratchet, path)
        elif isinstance(obj, dict):
            self._fields(node, obj, old if isinstance(old, dict) else {}, ratchet, path)

    def _items(
        self, node: RuleNode, obj: list[Any], old: Any, ratchet: "_Ratchet", path: str
    ) -> None:
        if node.items is None:
            return
        before = OldItems(node.shape, old if isinstance(old, list) else [])
        for position, item in enumerate(obj):
            place = f"{path}[{position}]"
            self._check(node.items, item, before.find(item), ratchet.item(position), place)

    def _fields(self, node: RuleNode, obj: Json, old: Json, ratchet: "_Ratchet", path: str) -> None:
        if node.additional is not None:
            for name in sorted(obj):
                place = f"{path}[{name}]"
                self._check(node.additional, obj[name], old.get(name), ratchet.key(name), place)
        for name, part in node.properties.items():
            if name in obj:
                place = child(path, name)
                self._check(part, obj[name], old.get(name), ratchet.key(name), place)

    def _rule(
        self,
        node: RuleNode,
        rule: CompiledRule,
        obj: Any,
        old: Any,
        ratchet: "_Ratchet",
        path: str,
    ) -> None:
        if rule.program is None or (rule.uses_old and old is None and not rule.takes_optional):
            return
        before = old
        if rule.takes_optional:
            before = NOTHING if old is None else Optional(old, True)
        try:
            kept = rule.program.run(obj, before)
        except CelError as exc:
            self.errors.append(invalid(shown(path), node.kind, _failure(str(exc), rule)))
            return
        except CostError as exc:
            told = f"'{exc}': {_NOTHING_MORE}: {rule.shown}"
            self.errors.append(invalid(shown(path), node.kind, told))
            raise _StopError from None
        if kept is not True:
            place = child(path, rule.place) if rule.place else path
            error = _error(rule, shown(place), node.kind, _message(rule, obj, before))
            if not rule.uses_old and ratchet.holds:
                self.warnings.append(str(error))
            else:
                self.errors.append(error)


def _failure(text: str, rule: CompiledRule) -> str:
    if text.startswith("no such overload"):
        return (
            f"'{text}': call arguments did not match a supported operator, function or macro "
            f"signature for rule: {rule.shown}"
        )
    return f"{text} evaluating rule: {rule.shown}"


def _message(rule: CompiledRule, obj: Any, old: Any) -> str:
    """Give the text of a failure: made by the rule, written in it, or the rule itself."""
    if rule.message is not None:
        try:
            text = rule.message.run(obj, old)
        except (CelError, CostError):
            text = None
        text = text.strip() if isinstance(text, str) else ""
        if text and "\n" not in text and len(text.encode()) <= MAX_MESSAGE:
            return text
    if rule.rule.get("message"):
        return str(rule.rule["message"]).strip()
    return f"failed rule: {rule.shown}"


def _error(rule: CompiledRule, path: str, kind: str, text: str) -> FieldError:
    reason = rule.rule.get("reason")
    if reason == "FieldValueForbidden":
        return forbidden(path, text)
    if reason == "FieldValueRequired":
        return required(path, text)
    if reason == "FieldValueDuplicate":
        return duplicate(path, kind)
    return invalid(path, kind, text)


class _Ratchet(NamedTuple):
    """The pair at hand, or the nearest above: what has not changed is only warned of."""

    twin: Twin | None
    nearest: Twin | None

    @property
    def holds(self) -> bool:
        """Whether failures here are tolerated."""
        judge = self.twin or self.nearest
        return judge is not None and judge.is_equal

    def key(self, name: str) -> "_Ratchet":
        """Go down to a field."""
        if self.twin is None:
            return self
        if self.nearest is None and name in ("apiVersion", "kind"):
            return _Ratchet(None, None)
        return _Ratchet(self.twin.key(name), self.twin)

    def item(self, position: int) -> "_Ratchet":
        """Go down to an item."""
        return self if self.twin is None else _Ratchet(self.twin.index(position), self.twin)
