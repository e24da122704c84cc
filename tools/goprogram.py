"""Builds a program from Go modules into the user's cache folder, once for each release."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class GoProgram:
    """One program: what to compile, and the release it is."""

    name: str
    release: str
    """As its users call it, which is also the name of its folder."""
    sources: Path
    """The folder of go.mod and go.sum, which pin every module."""
    package: str
    module: str
    """What `go version -m` calls the module, with its version."""
    ldflags: str = "-s -w"
    tags: str = ""
    """What to build it with and without, with commas between."""
    beside: "GoProgram | None" = None
    """The program whose folder it shares."""

    def folder(self, environ: Mapping[str, str] = os.environ) -> Path:
        """Give the folder that the program is in once it is built."""
        if self.beside is not None:
            return self.beside.folder(environ)
        base = environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        return Path(base) / "kedge" / self.name / self.release

    def path(self, environ: Mapping[str, str] = os.environ) -> Path:
        """Give where the program is once it is built."""
        return self.folder(environ) / self.name

    def is_built(self, environ: Mapping[str, str] = os.environ) -> bool:
        """Say if the program is there, built from this release."""
        path = self.path(environ)
        if not os.access(path, os.X_OK):
            return False
        if shutil.which("go") is None:
            return True  # it can not be asked, and its folder has the name of the release
        told = subprocess.run(["go", "version", "-m", path], capture_output=True, text=True)
        wanted = r"\s+".join(re.escape(word) for word in self.module.split())
        return re.search(rf"\b(?:mod|dep)\s+{wanted}(?:\s|$)", told.stdout) is not None

    def build(self) -> Path:
        """Compile it, unless it is there already."""
        path = self.path()
        if self.is_built():
            say(f"{self.name} {self.release} is built already")
            return path
        if shutil.which("go") is None:
            raise SystemExit("error: install Go 1.26 or newer (https://go.dev)")
        say(f"building {self.name} {self.release}")
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f".{self.name}.{os.getpid()}.part")  # no half-written program
        flags = ["-mod=readonly", "-trimpath", "-buildvcs=false", f"-tags={self.tags}"]
        flags += ["-ldflags", self.ldflags]
        command = ["go", "build", *flags, "-o", str(part), self.package]
        environ = {**os.environ, "CGO_ENABLED": "0"}
        if subprocess.run(command, cwd=self.sources, env=environ, check=False).returncode != 0:
            raise SystemExit("error: go build failed, see above")
        part.replace(path)
        say(f"{self.name} in {path.parent}")
        return path


def say(text: str) -> None:
    """Tell the user."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
