"""The option `-o`, and the three ways to print what a command found."""

import sys
from collections.abc import Callable, Mapping
from typing import Any

import click

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
    if output == "json":
        import json

        write(json.dumps(document, indent=2) + "\n")
    elif output == "yaml":
        import yaml

        write(yaml.safe_dump(dict(document), sort_keys=False))
    else:
        write(table())


def write(text: str) -> None:
    """Write to stdout at once, so that a closed pipe or a full disk is found here."""
    # Not click.echo: it writes UTF-8 to an output that asked for ASCII. In chunks, because under
    # PYTHONUNBUFFERED Python takes a write that a closing pipe cut short for a whole one.
    if sys.stdout is not None:
        for start in range(0, len(text), CHUNK):
            sys.stdout.write(text[start : start + CHUNK])
        sys.stdout.flush()
