"""The examples in docs/howto are run as they stand."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGES = Path(__file__).parents[2] / "docs" / "howto"
BLOCKS = [
    pytest.param(block, id=f"{page.stem}-{number}")
    for page in sorted(PAGES.glob("*.md"))
    for number, block in enumerate(
        re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)
    )
]


@pytest.mark.parametrize("block", BLOCKS)
def test_the_example_runs(block: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", block], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
