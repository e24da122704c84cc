"""Where the original's programs are."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.real_cluster import Missing
from tools.velero.build import PROGRAMS, cache_folder


@dataclass(frozen=True)
class VeleroPrograms:
    """Velero, which is server and command in one, and its plugin for S3."""

    velero: Path
    plugin: Path


def find_velero(environ: Mapping[str, str] = os.environ) -> VeleroPrograms:
    """Look in the cache folder; raises Missing, which says what to do."""
    folder = cache_folder(environ)
    velero, plugin = (folder / program.name for program in PROGRAMS)
    if os.access(velero, os.X_OK) and os.access(plugin, os.X_OK):
        return VeleroPrograms(velero, plugin)
    raise Missing(
        "no velero in the cache folder: build it with `python tools/velero/build.py` "
        "(about six minutes, needs Go)"
    )
