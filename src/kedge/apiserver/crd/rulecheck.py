"""The CEL rules of a schema, checked when a CRD is written."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from kedge.apiserver.crd import internal
from kedge.apiserver.crd.cel.compiler import Checked, compile_text
from kedge.apiserver.crd.cel.cost import cost_of, too_dear
from kedge.apiserver.crd.cel.declare import MAX_REQUEST, Declaration, declare
from kedge.apiserver.crd.cel.types import BOOL, STRING
from kedge.apiserver.crd.rules import OLD, compile_rules, variables_of
from kedge.apiserver.crd.schema.rule import read
from kedge.apiserver.crd.spot import KEY, Spot
from kedge.kube.fielderror import FieldError, forbidden, invalid
from kedge.kube.fielderror import internal as internal_error

Json = dict[str, Any]

_EMBED = "x-kubernetes-embedded-resource"


LIMIT = 10_000_000
"""The most that one rule may cost, with as many values as there can be."""
TOTAL_LIMIT = 100_000_000
"""The most that all rules of a schema may cost together."""
_SHOWN_SHARE, _MOST_SHOWN = TOTAL_LIMIT // 100, 4
_LARGEST = 2**64 - 1


@dataclass(slots=True)
class RuleChecker:
    """Compiles the rules of a schema, to tell what is wrong with them and what they may cost."""

    tolerant: bool = False
    """The schema has not changed: single rules may cost more than they should."""
    total: int = 0
    dearest: list[tuple[int, str]] = field(default_factory=list)

    def at_root(self) -> "RuleChecker":
        """Give the checker of one schema, which has cost nothing yet."""
        return RuleChecker(self.tolerant)

    def check(self, schema: Json, spot: Spot) -> list[FieldError]:
        """Check the rules of one node."""
        declaration = declare(schema, "selfType", spot.is_resource)
        if declaration is None:
            told = "failed to convert to declType for CEL validation rules"
            return [internal_error(f"{spot.path}.{KEY}", told)]
        found: list[FieldError] = []
        for position, rule in enumerate(schema[KEY]):
            found += self._rule(rule, declaration, spot, f"{spot.path}.{KEY}[{position}]")
        return found

    def _rule(
        self, rule: Json, declaration: Declaration, spot: Spot, path: str
    ) -> Iterator[FieldError]:
        checked = compile_text(rule["rule"], variables_of(rule, declaration))
        problem = _problem(checked)
        if not problem and checked.node is not None:
            times = spot.cardinality
            if times is None:
                times = MAX_REQUEST // (declaration.min_size + 1)
            cost = min(cost_of(checked.node, declaration) * times, _LARGEST)
            yield from self._charge(cost, f"{path}.rule", "estimated rule cost")
        if problem:
            yield invalid(f"{path}.rule", internal.rule(rule), problem)
        elif rule.get("messageExpression"):
            yield from self._message(rule, declaration, path)
        yield from _old_use(rule, checked, spot, path)

    def _charge(self, cost: int, path: str, what: str) -> Iterator[FieldError]:
        """Add a cost to the total; tell if it is too much by itself."""
        if cost > LIMIT and not self.tolerant:
            yield forbidden(path, too_dear(what, cost, LIMIT))
        self.total = min(self.total + cost, _LARGEST)
        if cost >= _SHOWN_SHARE:
            self.dearest.append((cost, path))
            self.dearest.sort(key=lambda one: -one[0])
            del self.dearest[_MOST_SHOWN:]

    def _message(self, rule: Json, declaration: Declaration, path: str) -> Iterator[FieldError]:
        checked = compile_text(rule["messageExpression"], variables_of(rule, declaration))
        place = f"{path}.messageExpression"
        problem = ""
        if checked.issues:
            problem = f"messageExpression compilation failed: {checked.issues}"
        elif checked.type != STRING:
            problem = "messageExpression must evaluate to a string"
        elif checked.broken:
            problem = f"messageExpression instantiation failed: {checked.broken}"
        if problem:
            yield invalid(place, internal.rule(rule), problem)
        elif checked.node is not None:
            cost = cost_of(checked.node, declaration)
            yield from self._charge(cost, place, "estimated messageExpression cost")

    def check_default(self, schema: Json, value: Any, path: str) -> list[FieldError]:
        """Check a default against the rules at its place, as a new and as an unchanged value."""
        shape = read(schema)
        node = compile_rules(schema, shape, bool(schema.get(_EMBED)))
        if node is None:
            return []
        for old in (value, None):
            run = node.run(value, old, None, path)
            if run.errors:
                return run.errors
        return []

    def over_budget(self, path: str) -> list[FieldError]:
        """Tell if all rules together may cost too much."""
        if self.total <= TOTAL_LIMIT:
            return []
        told = (
            "contributed to estimated rule cost total exceeding cost limit for entire "
            "OpenAPIv3 schema"
        )
        found = [forbidden(place, told) for _, place in self.dearest]
        what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema"
        return [*found, forbidden(path, too_dear(what, self.total, TOTAL_LIMIT))]


def _problem(checked: Checked) -> str:
    if checked.issues:
        return f"compilation failed: {checked.issues}"
    if checked.type != BOOL:
        return "cel expression must evaluate to a bool"
    return f"program instantiation failed: {checked.broken}" if checked.broken else ""


def _old_use(rule: Json, checked: Checked, spot: Spot, path: str) -> Iterator[FieldError]:
    """Check that a rule asks for the old value only where there is one."""
    if OLD in checked.names:
        if spot.uncorrelatable:
            told = (
                "oldSelf cannot be used on the uncorrelatable portion of the schema "
                f"within {spot.uncorrelatable}"
            )
            yield invalid(f"{path}.rule", rule["rule"], told)
    elif rule.get("optionalOldSelf") is not None:
        told = "may not be set if oldSelf is not used in rule"
        yield invalid(f"{path}.optionalOldSelf", rule["optionalOldSelf"], told)
