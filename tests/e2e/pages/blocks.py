"""What a page of the docs asks of its reader: files to write, commands to run, and marks."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[3]
README = "readme"
"""The mark of commands that are run in a copy of the repository."""
SHELLS = frozenset({"console", "sh", "bash", "shell", "zsh", "shell-session", "powershell"})
BEFORE_A_BLOCK = frozenset({"fails", "not run", "session", "terminal", README})
ANYWHERE = frozenset({"stop", "wait", "do"})
NOT_RUN = "Not run by the tests"
PIECE = re.compile(
    r"^<!-- (?P<mark>[a-z ]+?)(?:: (?P<value>.*?))? -->$"
    r"|^(?P<indent>[ ]*)(?P<fence>`{3,}|~{3,})(?P<info>[^`\n]*)\n"
    r"(?P<body>(?:.*\n)*?)(?P=indent)(?P=fence)[ ]*$",
    re.MULTILINE,
)
TITLE = re.compile(r'^(?P<language>\S+)(?: title="(?P<title>[^"]+)"| (?P<name>[\w.-]+\.\w+))?')
COMMAND = re.compile(r"^\$ (?P<command>(?:.*\\\n)*.*)\n(?P<shown>(?:(?!\$ ).*\n)*)", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block, or a mark that stands alone; `start` and `end` are those of its body."""

    language: str
    """Of a mark that stands alone: its name."""
    body: str
    marks: dict[str, str]
    start: int
    end: int
    title: str = ""
    indent: str = ""
    before: str = ""
    """The paragraph before it."""

    @property
    def is_shell(self) -> bool:
        """Say whether it holds commands."""
        return self.language in SHELLS and not self.title

    @property
    def is_run(self) -> bool:
        """Say whether no reason is told why it is not run."""
        return "not run" not in self.marks and NOT_RUN not in self.before

    @property
    def reason(self) -> str:
        """Give the words that tell why it is not run."""
        return self.marks.get("not run", "") + self.before.rpartition(NOT_RUN)[2]

    def commands(self) -> list[tuple[str, str]]:
        """List the commands of a session, each with what is shown below it."""
        found = COMMAND.finditer(self.body)
        return [(one["command"], one["shown"]) for one in found]


@dataclass(frozen=True)
class Page:
    """A page, taken apart."""

    text: str
    blocks: list[Block]
    session: str
    """Where its blocks are played that do not say it themselves."""

    def sessions(self) -> list[str]:
        """List where its blocks are played: none if nothing is to be run."""
        named = [self.session_of(block) for block in self.blocks if block.is_shell and block.is_run]
        return list(dict.fromkeys(named))

    def session_of(self, block: Block) -> str:
        """Say where a block is played."""
        return README if README in block.marks else block.marks.get("session", self.session)


def page_at(path: Path) -> Page:
    """Read a page."""
    return page_of(path.read_text("utf-8"))


def page_of(text: str) -> Page:
    """Take a page apart."""
    session = "up"
    first = PIECE.match(text)
    if first is not None and first["mark"] == "session":
        session = first["value"]
    return Page(text, list(_blocks(text)), session)


def _blocks(text: str) -> Iterator[Block]:
    marks: dict[str, str] = {}
    last = 0
    for piece in PIECE.finditer(text):
        if text[last : piece.start()].strip():
            marks = {}
        if piece["mark"] in ANYWHERE:
            yield Block(piece["mark"], piece["value"] or "", {}, piece.start(), piece.end())
        elif piece["mark"]:
            # The first line is of the page, and not of a block.
            marks |= {piece["mark"]: piece["value"] or ""} if piece.start() else {}
        else:
            yield _block(text, piece, marks)
            marks = {}
        last = piece.end()


def _block(text: str, piece: re.Match[str], marks: dict[str, str]) -> Block:
    found = TITLE.match(piece["info"].strip())
    before = re.sub(r"^<!-- .*? -->$", "", text[: piece.start()], flags=re.MULTILINE)
    indent = piece["indent"]
    body = re.sub(rf"^{indent}", "", piece["body"], flags=re.MULTILINE) if indent else piece["body"]
    return Block(
        language=found["language"] if found else "",
        body=body,
        marks=dict(marks),
        start=piece.start("body"),
        end=piece.end("body"),
        title=(found["title"] or found["name"] or "") if found else "",
        indent=indent,
        before=before.rstrip().rpartition("\n\n")[2],
    )


def pages() -> list[Path]:
    """List all pages, the first one first."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
