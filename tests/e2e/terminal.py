"""A program in a terminal, driven as a person would: what is on the screen, and keys."""

import os
import pty
import re
import select
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

CTRL_C = b"\x03"
PATIENCE = 60.0


class Terminal:
    """A program whose input and output are a terminal."""

    def __init__(
        self,
        command: list[str],
        folder: Path,
        env: Mapping[str, str] | None = None,
        patience: float = PATIENCE,
    ) -> None:
        """Start the program in a folder; without variables of its own, with those of the tests."""
        self._master, slave = pty.openpty()
        environ = {**(os.environ if env is None else env), "TERM": "xterm"}
        self.process = subprocess.Popen(
            command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=folder,
            env=environ,
            start_new_session=True,
            preexec_fn=_take_terminal,
        )
        os.close(slave)
        self.screen = ""
        self._patience = patience

    def wait_for(self, text: str) -> str:
        """Read until a text is on the screen; give all that was there."""
        return self.wait_for_match(re.compile(re.escape(text)))

    def wait_for_match(self, pattern: re.Pattern[str]) -> str:
        """Read until the screen has something that matches; give all that was there."""
        deadline = time.monotonic() + self._patience
        while not pattern.search(self.screen):
            left = deadline - time.monotonic()
            assert left > 0, f"{pattern.pattern!r} did not come: {self.screen}"
            if not self._read(left):
                raise AssertionError(f"it ended without {pattern.pattern!r}: {self.screen}")
        return self.screen

    def press(self, keys: bytes) -> None:
        """Send keys."""
        os.write(self._master, keys)

    def end(self) -> int:
        """Read the rest, and give the exit code."""
        while self._read(self._patience):
            pass
        return self.process.wait(self._patience)

    def close(self) -> None:
        """Kill it if it is still there."""
        self.process.kill()
        self.process.wait()
        os.close(self._master)

    def _read(self, seconds: float) -> bool:
        ready, _, _ = select.select([self._master], [], [], seconds)
        assert ready, f"nothing came: {self.screen}"
        try:
            data = os.read(self._master, 65536)
        except OSError:
            return False  # the other side is closed
        self.screen += data.decode().replace("\r\n", "\n")
        return bool(data)


def _take_terminal() -> None:
    """Make the terminal the one that Ctrl-C comes from."""
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def left_on(screen: str) -> str:
    """Give what is left to read: without colours, and without lines that were drawn over."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", screen)
    lines = (re.sub(r".*(?:\r\x1b\[K|\x1b\[2K\r|\r(?=.))", "", line) for line in plain.split("\n"))
    return "\n".join(line.rstrip("\r") for line in lines)


@contextmanager
def terminal(
    command: list[str],
    folder: Path,
    env: Mapping[str, str] | None = None,
    patience: float = PATIENCE,
) -> Iterator[Terminal]:
    """Run a program in a terminal while the block runs."""
    running = Terminal(command, folder, env, patience)
    try:
        yield running
    finally:
        running.close()
