"""Where the CEL rules of a CRD stand, and whether there are any: known without loading CEL."""

from dataclasses import dataclass
from typing import Any

KEY = "x-kubernetes-validations"


@dataclass(frozen=True, slots=True)
class Spot:
    """Where rules stand: what holds there because of what is above."""

    path: str
    is_resource: bool
    uncorrelatable: str
    """The highest place above whose values have no counterpart in an old object."""
    cardinality: int | None
    """How many values there can be; None if there is no limit."""


def has_rules(schema: Any) -> bool:
    """Say whether a schema has CEL rules outside of junctors."""
    if not isinstance(schema, dict):
        return False
    if schema.get(KEY):
        return True
    parts = [*(schema.get("properties") or {}).values()]
    parts += [schema.get("items"), schema.get("additionalProperties")]
    return any(has_rules(part) for part in parts)
