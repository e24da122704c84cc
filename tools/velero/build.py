"""Build the original, Velero's server and its plugin for S3, from Go modules.

Usage: build.py

The programs go to the user's cache folder, kedge/velero/VERSION/, where the tests and the
benchmark that hold ours against the original look for them; what is there with the right version
is left as it is. A first build takes about six minutes on two cores; go.mod and go.sum pin every
module.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

SOURCES = Path(__file__).parent
VELERO = "1.18.3"
PLUGIN = "1.14.3"  # the release of velero-plugin-for-aws that goes with it
HOME = "github.com/vmware-tanzu"
BUILD_INFO = f"{HOME}/velero/pkg/buildinfo"


@dataclass(frozen=True)
class Program:
    """One program: what to compile, from which module, and the release it is."""

    name: str
    module: Path
    package: str
    release: str

    @property
    def ldflags(self) -> str:
        """Give the linker's flags: no debug tables, and the release that Velero tells."""
        told = {"Version": f"v{self.release}", "GitTreeState": "clean"}
        return " ".join(["-s", "-w", *(f"-X {BUILD_INFO}.{k}={v}" for k, v in told.items())])

    def is_built(self, folder: Path) -> bool:
        """Say if the folder has this program, built from this release."""
        path = folder / self.name
        if not os.access(path, os.X_OK):
            return False
        told = subprocess.run(["go", "version", "-m", path], capture_output=True, text=True)
        module = "/".join(self.package.split("/")[:3])
        return re.search(rf"{module}\s+v{re.escape(self.release)}\b", told.stdout) is not None


PROGRAMS = (
    Program("velero", SOURCES / "server", f"{HOME}/velero/cmd/velero", VELERO),
    Program(
        "velero-plugin-for-aws",
        SOURCES / "aws",
        f"{HOME}/velero-plugin-for-aws/velero-plugin-for-aws",
        PLUGIN,
    ),
)


def cache_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """Give the folder that holds the programs."""
    base = environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "kedge" / "velero" / VELERO


def build(program: Program, folder: Path) -> None:
    """Compile one program into the folder, unless it is there already."""
    if program.is_built(folder):
        say(f"{program.name} {program.release} is built already")
        return
    say(f"building {program.name} {program.release}")
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / f".{program.name}.part"  # a half-written program must not look like one
    flags = ["-mod=readonly", "-trimpath", "-buildvcs=false", "-ldflags", program.ldflags]
    go("build", *flags, "-o", str(part), program.package, cwd=program.module)
    part.replace(folder / program.name)


def go(*args: str, cwd: Path) -> None:
    """Run the go command; its own words tell what went wrong."""
    environ = {**os.environ, "CGO_ENABLED": "0"}
    if subprocess.run(["go", *args], cwd=cwd, env=environ, check=False).returncode != 0:
        raise SystemExit(f"error: go {args[0]} failed, see above")


def say(text: str) -> None:
    """Tell the user."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main() -> None:
    """Build what is missing."""
    if shutil.which("go") is None:
        raise SystemExit("error: install Go 1.26 or newer (https://go.dev)")
    folder = cache_folder()
    for program in PROGRAMS:
        build(program, folder)
    say(f"velero in {folder}")


if __name__ == "__main__":
    main()
