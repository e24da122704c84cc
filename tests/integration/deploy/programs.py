"""Programs of others that the tests of our deployment run."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.real_cluster.fixture import REQUIRED
from tools.goprogram import GoProgram

LONG = 120.0
"""Seconds after which a program hangs."""


def needed(program: GoProgram) -> Path:
    """Give a program, built if it must be there; else a skip, which says how to build it."""
    if program.is_built():
        return program.path()
    if os.environ.get(REQUIRED) == "1":
        return program.build()
    if found := shutil.which(program.name):
        return Path(found)
    pytest.skip(
        f"no {program.name} on PATH or in the cache folder:"
        f" build it with `make {program.name}` (needs Go)"
    )


def run(program: Path, *arguments: str, home: Path) -> subprocess.CompletedProcess[str]:
    """Run a program to its end, with nothing of our own settings."""
    return subprocess.run(
        [program, *arguments],
        env={"PATH": os.environ["PATH"], "HOME": str(home)},
        capture_output=True,
        text=True,
        timeout=LONG,
        check=False,
    )
