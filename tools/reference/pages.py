"""Every page of the reference that a program has a part in, and what it is to be."""

from pathlib import Path

from tools.reference.commands import completed
from tools.reference.flags import flags_of
from tools.reference.kinds import kinds
from tools.reference.markdown import remade

FOLDER = Path(__file__).parents[2] / "docs" / "reference"
FLAGS = "flags of "


def made(name: str) -> str:
    """Write a part of a page, by the name in its mark."""
    if name.startswith(FLAGS):
        return flags_of(name.removeprefix(FLAGS))
    return {"kinds": kinds}[name]()


def due(path: Path) -> str:
    """Give what a page is to be."""
    text = path.read_text("utf-8")
    return completed(text) if path.name == "cli.md" else remade(text, made)


def stale() -> list[Path]:
    """List the pages that are not as they should be."""
    return [path for path in sorted(FOLDER.glob("*.md")) if due(path) != path.read_text("utf-8")]
