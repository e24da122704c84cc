"""What a command says: the option `-o`, the three ways to print what was found, and words."""

import sys
from collections.abc import Callable, Mapping
from typing import Any

import click

from kedge.cli.program import as_called

FORMATS = ("table", "json", "yaml")
CHUNK = 8192

output_option = click.option(
    "-o",
    "--output",
    type=click.Choice(FORMATS),
    default="table",
    show_default=True,
    help="How to print the answer.",
)


def show(output: str, document: Mapping[str, Any], table: Callable[[], str]) -> None:
    """Print a document in the form that was asked for; the table is made only if it is wanted."""
    write(table() if output == "table" else encoded(document, output))


def encoded(document: Mapping[str, Any], output: str) -> str:
    """Write a document as JSON or YAML, with a newline at the end."""
    if output == "json":
        import json

        return json.dumps(document, indent=2) + "\n"
    import yaml

    return yaml.safe_dump(dict(document), sort_keys=False)


def say(text: str) -> None:
    """Write words of ours to stdout, with the commands in them as they are to be typed here."""
    write(as_called(text))


def write(text: str) -> None:
    """Write to stdout at once, so that a closed pipe or a full disk is found here."""
    # Not click.echo: it writes UTF-8 to an output that asked for ASCII. In chunks, because under
    # PYTHONUNBUFFERED Python takes a write that a closing pipe cut short for a whole one.
    if sys.stdout is not None:
        for start in range(0, len(text), CHUNK):
            sys.stdout.write(text[start : start + CHUNK])
        sys.stdout.flush()
