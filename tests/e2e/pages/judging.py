"""What is wrong with the blocks of a page: commands that nobody runs, reasons that are none."""

import re
from collections.abc import Iterator

from tests.e2e.pages.blocks import ANYWHERE, BEFORE_A_BLOCK, README, SHELLS, Block, Page
from tests.e2e.pages.sessions import unknown

REASONS = (
    "account",
    "browser",
    "takes minutes",
    "container",
    "another machine",
    "node",
    "internet",
    "runs pods",
)
"""What a machine of tests can not have."""
PROGRAMS = (
    r"(?:\$ )?(?:sudo )?(?:\S*/)?(?:kedge|kubectl|make|helm|velero|uv|pip|pytest|curl|aws|oc) "
)
INDENTED = re.compile(rf"^(?: {{4}}|\t)(?=\$ |{PROGRAMS}|export )(?P<line>.*)$", re.MULTILINE)
PROMPT = re.compile(r"^\$ ", re.MULTILINE)
MARK = re.compile(r"^<!-- (?P<name>[\w ]+?)(?::.*)? -->\n(?:\s*<!-- .* -->\n)*\s*```", re.MULTILINE)
KNOWN = BEFORE_A_BLOCK | ANYWHERE


def faults(page: Page) -> list[str]:
    """List what is wrong."""
    return [*_of_blocks(page), *_unfenced(page), *_of_marks(page)]


def _of_blocks(page: Page) -> Iterator[str]:
    for block in page.blocks:
        first = block.body.strip().partition("\n")[0]
        if block.is_shell:
            yield from (f"{fault}: {first}" for fault in _of_shell(page, block))
        elif block.language not in SHELLS | ANYWHERE and PROMPT.search(block.body):
            yield f"a session in a block that is not ```console: {first}"


def _of_shell(page: Page, block: Block) -> Iterator[str]:
    if not block.is_run:
        if not any(one in block.reason for one in REASONS):
            yield "not run, without a reason that counts"
        return
    session = page.session_of(block)
    lost = [] if session == README else unknown(session)
    if lost:
        yield f"no such session: {', '.join(lost)}"
    if block.language == "console" and not block.commands():
        yield "a session without a command (`$ ` begins one)"
    elif block.language != "console" and PROMPT.search(block.body):
        yield "a prompt in a script: write ```console"


def _unfenced(page: Page) -> Iterator[str]:
    text = page.text
    for block in page.blocks:
        text = text[: block.start] + " " * (block.end - block.start) + text[block.end :]
    for one in INDENTED.finditer(text):
        before = text[: one.start()].rstrip("\n").rpartition("\n")[2]
        if not before.lstrip().startswith(("-", "*", "1", "2", "3", "4", "5", "6", "7", "8", "9")):
            yield f"a command that is not in a fenced block: {one['line'].strip()}"


def _of_marks(page: Page) -> Iterator[str]:
    for one in MARK.finditer(page.text):
        if one["name"] not in KNOWN:
            yield f"a mark that is not known: {one['name']}"
