"""The CEL rules of a schema, checked when a CRD is written."""

from typing import Any

from kedge.kube.fielderror import FieldError

Json = dict[str, Any]


class RuleChecker:
    """Compiles the rules of a schema, to tell what is wrong with them."""

    def at_root(self, schema: Json) -> "RuleChecker":
        """Give the checker of one schema."""
        return self

    def check(self, schema: Json, path: str, uncorrelatable: str) -> list[FieldError]:
        """Check the rules of one node."""
        return []

    def check_default(self, schema: Json, value: Any, path: str) -> list[FieldError]:
        """Check a default against the rules at its place."""
        return []

    def over_budget(self, path: str) -> list[FieldError]:
        """Tell if all rules together may cost too much."""
        return []
