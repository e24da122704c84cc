"""Run kubectl as a person does: arguments in, text out."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LONG = 30.0
"""Seconds after which a command hangs."""


@dataclass(frozen=True)
class Kubectl:
    """One version of kubectl, with a namespace to itself."""

    version: str
    program: Path
    kubeconfig: Path
    namespace: str
    home: Path

    def run(
        self, *arguments: str, stdin: str = "", editor: str = ""
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        return subprocess.run(
            self._command(arguments),
            input=stdin,
            env=self._environment(editor),
            capture_output=True,
            text=True,
            timeout=LONG,
            check=False,
        )

    def ok(self, *arguments: str, stdin: str = "", editor: str = "") -> str:
        """Run a command that must succeed; give what it printed."""
        result = self.run(*arguments, stdin=stdin, editor=editor)
        assert result.returncode == 0, result.stderr + result.stdout
        return result.stdout

    def refused(self, *arguments: str, stdin: str = "") -> str:
        """Run a command that must fail; give what it complained about."""
        result = self.run(*arguments, stdin=stdin)
        assert result.returncode != 0, result.stdout
        return result.stderr

    def apply(self, manifest: str, *flags: str) -> str:
        """Apply a manifest."""
        return self.ok("apply", "-f", "-", *flags, stdin=manifest)

    def get(self, *what: str) -> Any:
        """Give an object or a list."""
        return json.loads(self.ok("get", *what, "--output=json"))

    @contextmanager
    def following(self, *arguments: str) -> Iterator["subprocess.Popen[str]"]:
        """Run a command that goes on until the block ends."""
        with subprocess.Popen(
            self._command(arguments),
            env=self._environment(""),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            try:
                yield process
            finally:
                process.kill()

    def _command(self, arguments: tuple[str, ...]) -> list[str]:
        flags = [f"--kubeconfig={self.kubeconfig}", f"--cache-dir={self.home}"]
        return [str(self.program), *flags, f"--namespace={self.namespace}", *arguments]

    def _environment(self, editor: str) -> dict[str, str]:
        environ = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        return {**environ, "HOME": str(self.home), "KUBE_EDITOR": editor or "false"}
