"""The examples of the how-to pages run, and print what the pages say."""

import asyncio
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGES = Path(__file__).parents[2] / "docs" / "howto"
PAGE = PAGES / "test-your-operator.md"
CONTROLLER_PAGE = PAGES / "write-a-controller.md"
BLOCK = re.compile(
    r"^```python\n(?P<code>.*?)^```$(?:\n+It prints:\n+```text\n(?P<output>.*?)^```$)?",
    re.MULTILINE | re.DOTALL,
)


def blocks(page: Path) -> list[tuple[str, str | None]]:
    """Give the examples of a page, and what each prints."""
    return [(one["code"], one["output"]) for one in BLOCK.finditer(page.read_text("utf-8"))]


BLOCKS = blocks(PAGE)
PROGRAMS = [
    (code, output) for code, output in BLOCKS + blocks(CONTROLLER_PAGE) if output is not None
]
LONG = 60


def run(*command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run Python in an empty folder."""
    return subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=LONG,
        check=False,
    )


def block_with(text: str) -> str:
    """Give the one example that has this text."""
    (code,) = [code for code, _ in BLOCKS if text in code]
    return code


@pytest.mark.parametrize(("code", "output"), PROGRAMS)
def test_a_program_prints_what_the_page_says(tmp_path: Path, code: str, output: str) -> None:
    result = run("-W", "error", "-c", code, folder=tmp_path)
    assert (result.stdout, result.stderr) == (output, "")


def test_there_are_as_many_programs_as_outputs() -> None:
    texts = [page.read_text("utf-8") for page in (PAGE, CONTROLLER_PAGE)]
    assert len(PROGRAMS) == sum(text.count("It prints:") for text in texts) == 6


def test_the_example_for_pytest_passes(tmp_path: Path) -> None:
    (tmp_path / "test_boats.py").write_text(block_with("@pytest_asyncio.fixture"))
    result = run("-m", "pytest", "-q", folder=tmp_path)
    assert "2 passed" in result.stdout, result.stdout + result.stderr


def test_the_example_operator_does_its_work(tmp_path: Path) -> None:
    names: dict[str, object] = {"__name__": "example"}
    exec(compile(block_with("OPERATOR ="), str(PAGE), "exec"), names)
    main = names["main"]
    assert callable(main)
    asyncio.run(main(tmp_path))
    assert "built" in (tmp_path / "log").read_text()
