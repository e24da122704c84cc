"""Which kubectl programs this machine has, one per minor version."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from tests.real_cluster.programs import kubectls as built

NAME = re.compile(r"kubectl(\.\d+\.\d+)?")


def found(environ: Mapping[str, str] = os.environ) -> dict[str, Path]:
    """Give one kubectl for each minor version, the oldest first."""
    by_minor: dict[int, Path] = {}
    for program in _candidates(environ):
        minor = minor_of(program)
        if minor is not None:
            by_minor[minor] = program
    return {f"1.{minor}": by_minor[minor] for minor in sorted(by_minor)}


def _candidates(environ: Mapping[str, str]) -> Iterator[Path]:
    """Give every program; later ones are better: they are what their name says."""
    folders = [Path(folder) for folder in environ.get("PATH", "").split(os.pathsep) if folder]
    first = shutil.which("kubectl", path=environ.get("PATH", ""))
    if first:
        folders.append(Path(first).resolve().parent)
    seen = {path for folder in folders for path in folder.glob("kubectl*")}
    named = sorted(path for path in seen if NAME.fullmatch(path.name) and os.access(path, os.X_OK))
    yield from (path for path in named if path.name == "kubectl")
    yield from (path for path in named if path.name != "kubectl")
    yield from built(environ).values()


@cache
def minor_of(program: Path) -> int | None:
    """Ask a program for its version; None when it is not one that can tell."""
    command = [str(program), "version", "--client", "--output=json"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    try:
        return int(json.loads(result.stdout)["clientVersion"]["minor"].rstrip("+"))
    except (ValueError, KeyError):
        return None
