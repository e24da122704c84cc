"""The how-to pages that are one session each: the commands that they show, and the files."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

PAGES = Path(__file__).parents[3] / "docs" / "howto"

BLOCK = re.compile(
    r"^```(?P<info>console|yaml (?P<file>\S+))\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL
)
COMMAND = re.compile(r"^\$ (?P<command>.*)\n(?P<shown>(?:(?!\$ ).*\n)*)", re.MULTILINE)
NOT_RUN = re.compile(r"^```sh$", re.MULTILINE)
REASON = "Not run by the tests"


def text_of(name: str) -> str:
    """Read a page."""
    return (PAGES / name).read_text("utf-8")


def steps(text: str) -> Iterator[tuple[str, str, str]]:
    """Give what a reader does, in order: the file to write or an empty text, a command or the
    text of the file, and what the page shows."""
    for block in BLOCK.finditer(text):
        if block["file"]:
            yield block["file"], block["body"], ""
            continue
        for one in COMMAND.finditer(block["body"]):
            yield "", one["command"], one["shown"]


def filled(text: str, write: Callable[[str, str], object], output_of: Callable[[str], str]) -> str:
    """Put what the commands print in the place of what a page shows."""

    def fill(block: re.Match[str]) -> str:
        if block["file"]:
            write(block["file"], block["body"])
            return block[0]
        commands = [one["command"] for one in COMMAND.finditer(block["body"])]
        shown = "".join(f"$ {command}\n{output_of(command)}" for command in commands)
        return f"```console\n{shown}```"

    return BLOCK.sub(fill, text)


def unexplained(text: str) -> list[str]:
    """Give the shell blocks that are not run, and before which no reason is told."""
    found = []
    for block in NOT_RUN.finditer(text):
        before = text[: block.start()].rstrip().rpartition("\n\n")[2]
        if REASON not in before:
            found.append(text[block.end() :].partition("```")[0].strip())
    return found
