"""The results of a run as a file, so that others can look at every sample."""

import json
import time
from pathlib import Path
from typing import Any, Final

RESULTS: Final = Path(__file__).parents[1] / "results"


def keep(program: str, document: Any) -> str:
    """Write a result as JSON, and give the line that says where it is."""
    RESULTS.mkdir(exist_ok=True)
    name = time.strftime(f"{program}-%Y%m%dT%H%M%SZ.json", time.gmtime())
    (RESULTS / name).write_text(json.dumps(document) + "\n")
    return f"Kept in bench/results/{name}\n"
