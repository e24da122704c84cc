"""What Kubernetes' own libraries (apimachinery v0.34) answered to inputs drawn at random."""

import json
from pathlib import Path
from typing import Any


def rows(name: str) -> list[Any]:
    """Give the recorded rows of one subject."""
    text = Path(__file__).with_name("vectors").joinpath(f"{name}.jsonl").read_text()
    return [json.loads(line) for line in text.split("\n") if line]
