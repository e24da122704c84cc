"""The map in the docstring of the package names all that is there."""

from pathlib import Path

import kedge.cli
from kedge.cli.app import COMMANDS

FOLDER = Path(kedge.cli.__file__).parent
BESIDE = {"completions"}
"""What a command is made of that is a module itself."""


def test_every_module_is_a_command_or_on_the_map() -> None:
    assert kedge.cli.__doc__ is not None
    rows = [line for line in kedge.cli.__doc__.splitlines() if "  " in line]
    named = {word.strip() for row in rows for word in row.split("  ", 1)[1].split(",")}
    commands = {entry.where.split(":")[0].split(".")[2] for entry in COMMANDS.values()}
    there = {path.stem for path in FOLDER.iterdir() if path.stem[0] != "_"}
    assert named | commands | BESIDE == there
    assert not named & commands
