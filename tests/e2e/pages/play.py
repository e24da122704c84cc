"""Do what a page says, and tell what was seen, or put it into the page."""

import asyncio
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.pages.blocks import README, Block, Page, page_at
from tests.e2e.pages.reading import Reader, Seen
from tests.e2e.pages.sameness import is_same
from tests.e2e.pages.sessions import beginning
from tests.integration.eventually import eventually

PATIENCE_SECONDS = 60.0


@dataclass(frozen=True)
class Taken:
    """A step of a page, with what came of it."""

    block: Block
    command: str
    shown: str
    seen: Seen

    @property
    def is_true(self) -> bool:
        """Say whether the page shows what was seen."""
        return is_same(self.shown, self.seen.text, exact=self.seen.is_exact)

    @property
    def trouble(self) -> str:
        """Say what is not as the page has it; empty if it is."""
        failed = self.seen.code != 0 and "fails" not in self.block.marks
        if failed:
            return f"$ {self.command}\nexits with {self.seen.code}:\n{self.seen.text}"
        if self.block.language == "console" and not self.is_true:
            return f"$ {self.command}\nshows:\n{self.shown}and prints:\n{self.seen.text}"
        return ""


def play(page: Page, session: str, folder: Path) -> Iterator[Taken]:
    """Take all steps of a page that belong to a session."""
    with beginning(session, folder) as reader:
        for block in page.blocks:
            if not block.is_shell:
                yield from _beside(reader, block)
            elif block.is_run and page.session_of(block) == session:
                yield from _shell(reader, block)


def _beside(reader: Reader, block: Block) -> Iterator[Taken]:
    """Do what is no command: write a file, or heed a mark."""
    if block.language == "stop":
        reader.stop()
    elif block.language == "do":
        yield Taken(block, block.body, "", reader.script(block.body))
    elif block.language == "wait":
        yield Taken(block, block.body, "", _patiently(reader, block.body))
    elif block.title:
        reader.write(block.title, block.body)


def _patiently(reader: Reader, command: str) -> Seen:
    seen: list[Seen] = []

    def is_so() -> bool:
        seen.append(reader.script(command))
        return seen[-1].code == 0

    with suppress(TimeoutError):
        asyncio.run(eventually(is_so, PATIENCE_SECONDS))
    return seen[-1]


def _shell(reader: Reader, block: Block) -> Iterator[Taken]:
    if block.language != "console":
        yield Taken(block, block.body, "", reader.script(block.body))
        return
    for command, shown in block.commands():
        seen = reader.run(command, block.marks.get("terminal"))
        yield Taken(block, command, shown, seen)


def filled(page: Page, taken: list[Taken]) -> str:
    """Put what was seen in the place of what a page shows, where that is not the same."""
    text = page.text
    for block in reversed([one for one in page.blocks if one.language == "console"]):
        steps = [one for one in taken if one.block is block]
        if any(not one.is_true for one in steps):
            body = "".join(_written(one) for one in steps)
            lines = (f"{block.indent}{line}".rstrip() + "\n" for line in body.splitlines())
            text = text[: block.start] + "".join(lines) + text[block.end :]
    return text


def _written(step: Taken) -> str:
    return f"$ {step.command}\n{step.shown if step.is_true else step.seen.text}"


def fill(path: Path) -> list[str]:
    """Play a page and fill it; list the commands that failed without being marked so."""
    page = page_at(path)
    taken: list[Taken] = []
    for session in (one for one in page.sessions() if one != README):
        with tempfile.TemporaryDirectory() as folder:
            taken += play(page, session, Path(folder))
    path.write_text(filled(page, taken), "utf-8")
    return [one.trouble for one in taken if one.seen.code and "fails" not in one.block.marks]
