"""Whether the defaults in a schema are valid: known fields, right types, sound metadata."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from kedge.apiserver.crd.schema import embedded
from kedge.apiserver.crd.schema.default import copy
from kedge.apiserver.crd.schema.explain import Explainer
from kedge.apiserver.crd.schema.prune import prune
from kedge.apiserver.crd.schema.rule import read
from kedge.apiserver.crd.schema.same import same
from kedge.apiserver.crd.schema.shape import META_FIELDS, shape_of
from kedge.kube.fielderror import FieldError, aggregate, invalid
from kedge.kube.goerror import GoError

if TYPE_CHECKING:
    from kedge.apiserver.crd.rulecheck import RuleChecker

Json = dict[str, Any]
Wrap = Callable[[Any], Json]

_EMBED = "x-kubernetes-embedded-resource"


def validate(schema: Json, path: str, rules: "RuleChecker | None") -> list[FieldError]:
    """Check all defaults of a resource's schema."""
    return [*_Defaults(rules).walk({**schema, _EMBED: True}, path, _object, False)]


def _object(value: Any) -> Json:
    """Give the object around a value that is an object itself."""
    result: Json = {"apiVersion": "validation/v1", "kind": "Validation", **value}
    return result


class _Defaults:
    def __init__(self, rules: "RuleChecker | None") -> None:
        self.rules = rules

    def walk(self, schema: Json, path: str, wrap: Wrap, in_meta: bool) -> Iterator[FieldError]:
        """Check the default of a node and those below it; `wrap` makes an object of a value."""
        is_resource = bool(schema.get(_EMBED))
        if is_resource:
            wrap, in_meta = _object, False
        if schema.get("default") is not None:
            yield from self._default(schema, path, wrap if in_meta else None)
        # There is no way into additionalProperties: defaults are forbidden there.
        if isinstance(schema.get("items"), dict):
            yield from self.walk(schema["items"], f"{path}.items", _in_list(wrap), in_meta)
        for name, part in sorted((schema.get("properties") or {}).items()):
            inside = in_meta or (is_resource and name in META_FIELDS)
            place = f"{path}.properties[{name}]"
            yield from self.walk(part, place, _in_field(wrap, name), inside)

    def _default(self, schema: Json, path: str, wrap: Wrap | None) -> list[FieldError]:
        place, value = f"{path}.default", schema["default"]
        found: list[FieldError] = []
        if wrap is None:
            pruned = copy(value)
            prune(pruned, shape_of(schema))
            if not same(pruned, value):
                found.append(invalid(place, value, "must not have unknown fields"))
            wrong = _metadata(schema, value, place)
        else:
            wrong = _outer_metadata(wrap(copy(value)), value, place)
        rule = read(schema, as_written=True)
        wrong = wrong or [*Explainer(place).run(rule, value, "", None).faults.values()]
        if not wrong and self.rules is not None:
            wrong = self.rules.check_default(schema, value, place)
        return found + wrong


def _metadata(schema: Json, value: Any, place: str) -> list[FieldError]:
    """Check the objects that a default embeds."""
    shape = shape_of({"properties": {"default": schema}})
    holder = {"default": copy(value)}
    base = place.removesuffix(".default")
    try:
        embedded.coerce(holder, shape, base)
    except embedded.MisplacedError as exc:
        return [exc.error]
    return embedded.validate(holder, shape, base)


def _outer_metadata(obj: Json, value: Any, place: str) -> list[FieldError]:
    """Check the metadata that a default is a part of."""
    try:
        if "metadata" in obj:
            embedded.metadata_of(copy(obj["metadata"]))
    except GoError as exc:
        told = str(invalid("metadata", obj["metadata"], exc.text))
        return [invalid(place, value, f"must result in valid metadata: {told}")]
    problems = embedded.validate_object(obj, "")
    if problems:
        told = aggregate(problems)
        return [invalid(place, value, f"must result in valid metadata: {told}")]
    return []


def _in_list(wrap: Wrap) -> Wrap:
    return lambda value: wrap([value])


def _in_field(wrap: Wrap, name: str) -> Wrap:
    return lambda value: wrap({name: value})
