"""Build the original, Velero's server and its plugin for S3, from Go modules.

Usage: build.py

The programs go to the user's cache folder, kedge/velero/VERSION/, where the tests and the
benchmark that hold ours against the original look for them; what is there with the right version
is left as it is. A first build takes about six minutes on two cores; go.mod and go.sum pin every
module.
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

SOURCES = Path(__file__).parent
sys.path.append(str(SOURCES.parents[1]))  # it is run by its name, too

from tools.goprogram import GoProgram  # noqa: E402

VELERO = "1.18.3"
PLUGIN = "1.14.3"  # the release of velero-plugin-for-aws that goes with it
HOME = "github.com/vmware-tanzu"
TOLD = f"{HOME}/velero/pkg/buildinfo"
SERVER = GoProgram(
    name="velero",
    release=VELERO,
    sources=SOURCES / "server",
    package=f"{HOME}/velero/cmd/velero",
    module=f"{HOME}/velero v{VELERO}",
    ldflags=f"-s -w -X {TOLD}.Version=v{VELERO} -X {TOLD}.GitTreeState=clean",
)
AWS = GoProgram(
    name="velero-plugin-for-aws",
    release=PLUGIN,
    sources=SOURCES / "aws",
    package=f"{HOME}/velero-plugin-for-aws/velero-plugin-for-aws",
    module=f"{HOME}/velero-plugin-for-aws v{PLUGIN}",
    beside=SERVER,
)
PROGRAMS = (SERVER, AWS)


def cache_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """Give the folder that holds the programs."""
    return SERVER.folder(environ)


if __name__ == "__main__":
    for program in PROGRAMS:
        program.build()
