"""A reader of a page: a shell that keeps its folder and variables, and a second terminal."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, chdir, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from click.testing import CliRunner

from kedge.cli.app import kedge
from tests.e2e.pages.sameness import usual
from tests.e2e.terminal import CTRL_C, Terminal, left_on
from tests.integration.clients.kubectls import found

LONG_SECONDS = 120.0
UNSET = ("KEDGE_", "VELERO_", "KUBECONFIG", "COLUMNS", "NO_COLOR", "PYTEST_")
READY = {"up": "Ctrl-C stops it.", "apiserver": "ready", "server": "leading"}
SHELL = re.compile(r"[|&;<>()$`*?~\\\n{}]")
KEEP = 'trap \'env -0 > "$KEPT"; pwd > "$KEPT.folder"\' EXIT\n'
PROMPT = re.compile(r"[:?\])>] ?$")


@dataclass(frozen=True)
class Seen:
    """What a command did."""

    code: int
    text: str
    is_exact: bool = False
    """It will be the same each time."""


class Reader(Protocol):
    """Does what a page says."""

    def write(self, name: str, text: str) -> None:
        """Write a file."""

    def run(self, command: str, keys: str | None = None) -> Seen:
        """Run a line; with keys, in a terminal where they are typed."""

    def script(self, text: str) -> Seen:
        """Run several lines, up to the first that fails."""

    def stop(self) -> None:
        """Press Ctrl-C in the other terminal."""


@dataclass
class Person:
    """Reads a page at a machine with kedge and kubectl."""

    folder: Path
    env: dict[str, str]
    stands_for: dict[str, str] = field(default_factory=dict)
    """What a page names, and what it is here."""
    other: Terminal | None = None
    """Where something runs until Ctrl-C."""
    home: Path = field(init=False)

    def __post_init__(self) -> None:
        """Begin in the folder."""
        self.home = self.folder
        self.env["KEPT"] = str(self.home.parent / "kept")

    def write(self, name: str, text: str) -> None:
        """Write a file of a page."""
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text(self._here(text))

    def run(self, command: str, keys: str | None = None) -> Seen:
        """Run a line; give what it prints, as a page shows it."""
        command = self._here(command)
        words = _words(command)
        if words[:1] == ["kedge"] and words[1:2] and words[1] in READY and "--help" not in words:
            return self._shown(self._start(words[1], command))
        if keys is not None:
            return self._shown(self._typed(command, keys))
        if words[:1] == ["kedge"] and not SHELL.search(_unquoted(command)):
            return self._shown(self._kedge(words[1:]))
        return self._shown(self._bash(command))

    def script(self, text: str) -> Seen:
        """Run several lines, up to the first that fails."""
        return self._shown(self._bash(f"set -e\n{self._here(text)}"))

    def stop(self) -> None:
        """Press Ctrl-C in the other terminal, and wait for the end."""
        if self.other is not None:
            self.other.press(CTRL_C)
            self.other.end()
            self.close()

    def close(self) -> None:
        """Leave nothing running."""
        if self.other is not None:
            self.other.close()
            self.other = None

    def _here(self, text: str) -> str:
        for shown, real in self.stands_for.items():
            text = text.replace(shown, real)
        return text

    def _shown(self, seen: Seen) -> Seen:
        text = seen.text
        for shown, real in self.stands_for.items():
            text = text.replace(real, shown)
        text = text.replace(f"{self.home}/", "").replace(str(self.home), ".")
        return Seen(seen.code, usual(text))

    def _kedge(self, words: list[str]) -> Seen:
        """Run a command of ours in this process: that is ten times as fast."""
        env = {name: self.env.get(name) for name in (*os.environ, *self.env)}
        with chdir(self.folder):
            result = CliRunner().invoke(kedge, words, env=env)
        return Seen(result.exit_code, result.output)

    def _bash(self, command: str) -> Seen:
        # A file and not a pipe: what goes on in the background would hold a pipe open.
        printed = Path(self.env["KEPT"]).with_name("printed")
        with printed.open("w") as output:
            result = subprocess.run(
                ["bash", "-c", f"{KEEP}{command}"],
                env=self.env,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                timeout=LONG_SECONDS,
                check=False,
            )
        self._remember()
        return Seen(result.returncode, printed.read_text())

    def _remember(self) -> None:
        """Take over what a shell has exported, and where it has gone."""
        kept = Path(self.env["KEPT"]).read_bytes().decode().split("\0")
        self.env = dict(one.split("=", 1) for one in kept if "=" in one)
        self.folder = Path(Path(f"{self.env['KEPT']}.folder").read_text().removesuffix("\n"))

    def _typed(self, command: str, keys: str) -> Seen:
        screen = Terminal(["bash", "-c", command], self.folder, self.env, LONG_SECONDS)
        try:
            for line in keys.split(",") if keys else ():
                screen.wait_for_match(PROMPT)
                screen.press(f"{line.strip()}\n".encode())
            code = screen.end()
        finally:
            screen.close()
        return Seen(code, left_on(screen.screen))

    def _start(self, name: str, command: str) -> Seen:
        """Start what goes on until Ctrl-C; what ran before is stopped first."""
        self.stop()
        if "--port" not in command and name != "server":
            command += " --port 0"
        line = ["bash", "-c", f"exec {command}"]
        self.other = Terminal(line, self.folder, self.env, LONG_SECONDS)
        return Seen(0, left_on(self.other.wait_for(READY[name])))


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return []


def _unquoted(command: str) -> str:
    return re.sub(r"'[^']*'", "", command)


@contextmanager
def person(folder: Path) -> Iterator[Person]:
    """Give somebody in an empty folder, with no cluster."""
    kubectls = list(found().values())
    programs, page = folder / "programs", folder / "page"
    for made in (programs, page, folder / "home"):
        made.mkdir()
    if kubectls:
        (programs / "kubectl").symlink_to(kubectls[-1].resolve())
    env = {name: text for name, text in os.environ.items() if not name.startswith(UNSET)}
    path = os.pathsep.join([str(programs), str(Path(sys.executable).parent), env["PATH"]])
    env |= {"PATH": path, "HOME": str(folder / "home"), "LC_ALL": "C.UTF-8", "TERM": "xterm"}
    with ExitStack() as stack:
        reader = Person(page, env)
        stack.callback(reader.close)
        yield reader
