"""From an openAPIV3Schema to the tree that patches walk, and to the functions of a kind."""

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from kedge.apiserver.crd.schema import embedded, listtype
from kedge.apiserver.crd.schema.check import compile_rule
from kedge.apiserver.crd.schema.default import compile_default, copy
from kedge.apiserver.crd.schema.explain import Explainer
from kedge.apiserver.crd.schema.prune import compile_clean, drop_nulls, prune
from kedge.apiserver.crd.schema.rule import Rule, read
from kedge.apiserver.crd.schema.shape import Shape, root_of
from kedge.apiserver.crd.schema.twin import Twin
from kedge.apiserver.crd.spot import has_rules
from kedge.apiserver.kinds.schemas import OBJECT_META, schema_of
from kedge.kube.fielderror import FieldError
from kedge.kube.schema import UNSET, Fields, Schema

if TYPE_CHECKING:
    from kedge.apiserver.crd.rules import RuleNode, RuleRun

Json = dict[str, Any]
Test = Callable[[Any], bool]


def compile_schema(openapi: Json | None, enforce: bool = True) -> Schema:
    """Make the tree of a resource; its `rules` are a Body, in which CEL rules may be left out."""
    raw = openapi or {}
    root = _node({**raw, "type": "object", "x-kubernetes-embedded-resource": True})
    root.rules = Body(raw, enforce)
    return root


def _node(raw: Json) -> Schema:
    kind, more, items = raw.get("type") or "", raw.get("additionalProperties"), raw.get("items")
    node = Schema(
        type=kind,
        format="int-or-string" if raw.get("x-kubernetes-int-or-string") else "",
        load=lambda: _fields(raw),
        items=_node(items) if isinstance(items, dict) else None,
        preserve=bool(raw.get("x-kubernetes-preserve-unknown-fields")),
        embedded=bool(raw.get("x-kubernetes-embedded-resource")),
        nullable=bool(raw.get("nullable")),
        default=UNSET if raw.get("default") is None else raw["default"],
        list_type=raw.get("x-kubernetes-list-type") or "atomic",
        list_keys=tuple(raw.get("x-kubernetes-list-map-keys") or ()),
        map_type=raw.get("x-kubernetes-map-type") or "granular",
        required=tuple(raw.get("required") or ()),
    )
    if more is not None:
        node.additional = _node(more) if isinstance(more, dict) else Schema(preserve=True)
    return node


def _fields(raw: Json) -> Fields:
    fields = {name: _node(part) for name, part in (raw.get("properties") or {}).items()}
    if not raw.get("x-kubernetes-embedded-resource"):
        return fields
    own: Fields = {"apiVersion": Schema(type="string"), "kind": Schema(type="string")}
    own["metadata"] = schema_of(OBJECT_META)
    return {**own, **{name: part for name, part in fields.items() if name != "metadata"}}


class Body:
    """What a version of a custom kind does with its objects: prune, fill in defaults, check."""

    def __init__(self, openapi: Json, enforce: bool = True) -> None:
        """Take a schema, and its CEL rules if they are to be enforced; compile on first use."""
        self.openapi = openapi
        self.enforce = enforce

    @cached_property
    def shape(self) -> Shape:
        """The structure, with defaults that hold only what is known."""
        shape = root_of(self.openapi)
        _prune_defaults(shape)
        return shape

    @cached_property
    def rule(self) -> Rule:
        """What is asked of an object."""
        return read(self.openapi)

    @cached_property
    def is_clean(self) -> Test:
        """Says whether there is nothing to drop."""
        return compile_clean(self.shape)

    @cached_property
    def fill(self) -> Callable[[Any], None] | None:
        """Fills in defaults; None if there are none."""
        return compile_default(self.shape)

    @cached_property
    def keeps_rule(self) -> Test:
        """Says whether an object is valid."""
        return compile_rule(self.rule)

    @cached_property
    def keeps_status(self) -> Test | None:
        """Says whether a status is valid; None if anything is."""
        status = self.rule.properties.get("status")
        return compile_rule(status) if status else None

    @cached_property
    def is_unique(self) -> Test | None:
        """Says whether sets and maps have no repetitions for sure; None if there are none."""
        return listtype.compile_unique(self.shape)

    @cached_property
    def has_embedded(self) -> bool:
        """Whether objects are embedded in objects of this kind."""
        return embedded.has_embedded(self.shape)

    @cached_property
    def rules(self) -> "RuleNode | None":
        """The CEL rules, if there are any to enforce."""
        if not self.enforce or not has_rules(self.openapi):
            return None
        from kedge.apiserver.crd.rules import compile_rules  # CEL is loaded when it is needed

        return compile_rules(self.openapi, self.rule, True)

    def strip(self, obj: Json) -> list[str]:
        """Drop in place the fields that the schema does not know, and no null; give the paths."""
        return [] if self.is_clean(obj) else prune(obj, self.shape)

    def settle(self, obj: Json) -> list[str]:
        """Drop in place what the schema does not know; give the paths. Raises GoError."""
        unknown: list[str] = []
        if not self.is_clean(obj):
            unknown += prune(obj, self.shape)
            drop_nulls(obj, self.shape)
        if self.has_embedded:
            unknown += embedded.coerce(obj, self.shape)
        return unknown

    def faults(self, obj: Json, old: Json | None = None) -> list[FieldError]:
        """Say what breaks the schema; what was as wrong in `old` may stay."""
        if self.keeps_rule(obj):
            return []
        twin = None if old is None else Twin(obj, old, self.rule)
        return [*Explainer().run(self.rule, obj, "", twin).faults.values()]

    def status_faults(self, obj: Json, old: Json) -> list[FieldError]:
        """Say what in the status breaks the schema."""
        if "status" not in obj or self.keeps_status is None or self.keeps_status(obj["status"]):
            return []
        twin = Twin(obj, old, self.rule).key("status")
        rule = self.rule.properties["status"]
        return [*Explainer("status").run(rule, obj["status"], "", twin).faults.values()]

    def repetitions(self, obj: Json, old: Json | None = None) -> list[FieldError]:
        """Find repetitions in sets and maps; an old object that has any excuses the new one."""
        if self.is_unique is None or self.is_unique(obj):
            return []
        found = listtype.repeated(self.shape, obj)
        if found and old is not None and listtype.repeated(self.shape, old):
            return []
        return found

    def run_rules(self, obj: Json, old: Json | None = None) -> "RuleRun | None":
        """Run the CEL rules, if there are any."""
        if self.rules is None:
            return None
        twin = None if old is None else Twin(obj, old, self.rule)
        return self.rules.run(obj, old, twin)

    def embedded_faults(self, obj: Json) -> list[FieldError]:
        """Say what is wrong with embedded objects."""
        return embedded.validate(obj, self.shape) if self.has_embedded else []


def _prune_defaults(shape: Shape) -> None:
    """Make the defaults hold only what the schema knows."""
    if shape.default is not None:
        shape.default = copy(shape.default)
        prune(shape.default, shape)
    for part in (*shape.properties.values(), shape.additional, shape.items):
        if part is not None:
            _prune_defaults(part)
