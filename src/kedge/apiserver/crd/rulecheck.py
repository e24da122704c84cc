"""The CEL rules of a schema, checked when a CRD is written."""

from collections.abc import Iterator
from typing import Any

from kedge.apiserver.crd import internal
from kedge.apiserver.crd.cel.compiler import Checked, compile_text
from kedge.apiserver.crd.cel.declare import Declaration, declare
from kedge.apiserver.crd.cel.types import BOOL, STRING
from kedge.apiserver.crd.rule import read
from kedge.apiserver.crd.rules import KEY, OLD, RuleRun, compile_rules, variables_of
from kedge.kube.fielderror import FieldError, internal as internal_error, invalid

Json = dict[str, Any]

_EMBED = "x-kubernetes-embedded-resource"


class RuleChecker:
    """Compiles the rules of a schema, to tell what is wrong with them."""

    def at_root(self, schema: Json) -> "RuleChecker":
        """Give the checker of one schema."""
        return RuleChecker()

    def check(
        self, schema: Json, path: str, uncorrelatable: str, is_resource: bool
    ) -> list[FieldError]:
        """Check the rules of one node."""
        declaration = declare(schema, "selfType", is_resource)
        if declaration is None:
            told = "failed to convert to declType for CEL validation rules"
            return [internal_error(f"{path}.{KEY}", told)]
        found: list[FieldError] = []
        for position, rule in enumerate(schema[KEY]):
            place = f"{path}.{KEY}[{position}]"
            found += self._rule(rule, declaration, place, uncorrelatable)
        return found

    def _rule(
        self, rule: Json, declaration: Declaration, path: str, uncorrelatable: str
    ) -> Iterator[FieldError]:
        checked = compile_text(rule["rule"], variables_of(rule, declaration))
        problem = _problem(checked)
        if problem:
            yield invalid(f"{path}.rule", internal.rule(rule), problem)
        elif rule.get("messageExpression"):
            told = _message_problem(rule, declaration)
            if told:
                yield invalid(f"{path}.messageExpression", internal.rule(rule), told)
        if OLD in checked.names:
            if uncorrelatable:
                told = (
                    "oldSelf cannot be used on the uncorrelatable portion of the schema "
                    f"within {uncorrelatable}"
                )
                yield invalid(f"{path}.rule", rule["rule"], told)
        elif rule.get("optionalOldSelf") is not None:
            told = "may not be set if oldSelf is not used in rule"
            yield invalid(f"{path}.optionalOldSelf", rule["optionalOldSelf"], told)

    def check_default(self, schema: Json, value: Any, path: str) -> list[FieldError]:
        """Check a default against the rules at its place, as a new value and as an unchanged one."""
        shape = read(schema)
        node = compile_rules(schema, shape, bool(schema.get(_EMBED)))
        if node is None:
            return []
        for old in (value, None):
            run = RuleRun()
            run.check(node, value, old, None, path)
            if run.errors:
                return run.errors
        return []

    def over_budget(self, path: str) -> list[FieldError]:
        """Tell if all rules together may cost too much."""
        return []


def _problem(checked: Checked) -> str:
    if checked.issues:
        return f"compilation failed: {checked.issues}"
    return "" if checked.type == BOOL else "cel expression must evaluate to a bool"


def _message_problem(rule: Json, declaration: Declaration) -> str:
    checked = compile_text(rule["messageExpression"], variables_of(rule, declaration))
    if checked.issues:
        return f"messageExpression compilation failed: {checked.issues}"
    return "" if checked.type == STRING else "messageExpression must evaluate to a string"
