"""What Kubernetes 1.34's own libraries said, one case a line, and how to compare with it."""

import json
from pathlib import Path
from typing import Any

from kedge.kube.fielderror import FieldError

FOLDER = Path(__file__).parent / "recorded"


def lines(name: str) -> list[Any]:
    """Read the cases of a recording."""
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text().splitlines()]


def told(errors: list[FieldError]) -> list[list[str]]:
    """Bring errors into the form of the recordings: Go's order of map keys is no order."""
    causes = [error.cause for error in errors]
    return sorted([cause["field"], cause["reason"], cause["message"]] for cause in causes)


def written(value: Any) -> Any:
    """Give a value as Go writes it in JSON: a whole float is an integer."""
    if isinstance(value, dict):
        return {key: written(item) for key, item in value.items()}
    if isinstance(value, list):
        return [written(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
