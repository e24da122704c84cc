import json
import subprocess
import sys

import click
import pytest

from kedge.cli.app import kedge
from kedge.cli.lazy import LazyGroup

MODULES = (
    "import atexit, json, sys; atexit.register(lambda: json.dump(list(sys.modules), sys.stderr))"
)
PLAIN = """
import click
@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option("1", prog_name="x", message="")
def plain(): pass
plain.command()(lambda: None)
plain(["--help"])
"""
OURS = "from kedge.cli.main import main; main()"


def modules_of(code: str, *args: str) -> set[str]:
    """Run code in a Python of its own, and return the modules that it has at its end."""
    command = [sys.executable, "-c", f"{MODULES}\n{code}", *args]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(json.loads(done.stderr))


@pytest.mark.parametrize("args", [("--help",), ()])
def test_help_imports_nothing_that_click_does_not(args: tuple[str, ...]) -> None:
    extra = modules_of(OURS, *args) - modules_of(PLAIN)
    inside = {"main", "codes", "app", "lazy", "flags", "connection"}
    assert extra == {"kedge", "kedge.cli", *(f"kedge.cli.{name}" for name in inside)}


def test_help_of_a_command_does_not_load_the_engine() -> None:
    extra = modules_of(OURS, "cron", "next", "--help")
    assert "kedge.cli.cron.runs" in extra
    assert not {name for name in extra if name.startswith(("kedge.cron", "zoneinfo", "yaml"))}


def groups(group: LazyGroup) -> list[LazyGroup]:
    context = click.Context(group)
    inner = [group.get_command(context, name) for name in group.entries]
    return [group, *(g for found in inner if isinstance(found, LazyGroup) for g in groups(found))]


def test_the_tables_say_what_the_commands_say() -> None:
    checked = 0
    for group in groups(kedge):
        for name, entry in group.entries.items():
            command = group.get_command(click.Context(group), name)
            assert command is not None
            assert command.name in (name, group.name)  # `schedule create` is `create schedule`
            assert command.get_short_help_str(limit=200) == entry.short_help
            checked += 1
    assert checked >= 8
