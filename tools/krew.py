"""Make the archive of the kubectl plugin for krew, and write its manifest."""

import gzip
import hashlib
import io
import re
import sys
import tarfile
from pathlib import Path
from typing import Any, Final

import yaml

from kedge import __version__

ROOT: Final = Path(__file__).parent.parent
FOLDER: Final = ROOT / "deploy" / "krew"
SCRIPT: Final = "kubectl-kedge"
REPOSITORY: Final = "https://github.com/kedge-dev/kedge"
PLATFORMS: Final = [
    ("linux", "amd64"),
    ("linux", "arm64"),
    ("darwin", "amd64"),
    ("darwin", "arm64"),
]
DESCRIPTION: Final = """\
Kedge makes backups of Kubernetes objects on schedules and on demand, lets people back up and
restore their own namespaces, and starts CronJobs on warm nodes. It reads and writes Velero's
objects and archives.

`kubectl kedge status` is a screen of what ran, what runs next, what waits and what is wrong;
`kubectl kedge doctor` looks for what is in the way.
"""
CAVEATS: Final = """\
Kedge is a Python program: this plugin fetches it with uv or pipx, one of which must be there.
Velero's objects are looked for in the namespace velero; -n names another one.
"""


def main() -> None:
    """Write the manifest; with a folder as argument, the archive into it as well."""
    data = archive()
    (FOLDER / "kedge.yaml").write_text(yaml.safe_dump(manifest(data), sort_keys=False))
    if sys.argv[1:]:
        Path(sys.argv[1], name()).write_bytes(data)


def tag(version: str = __version__) -> str:
    """Write a version of Python as krew wants it: `0.1.0.dev0` is `v0.1.0-dev0`."""
    found = re.fullmatch(r"(\d+\.\d+\.\d+)\.?(.*)", version)
    assert found is not None
    numbers, rest = found.groups()
    return f"v{numbers}-{rest}" if rest else f"v{numbers}"


def name() -> str:
    """Name the archive."""
    return f"kubectl-kedge-{tag()}.tar.gz"


def archive() -> bytes:
    """Pack the script and the licence; the same files give the same bytes."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as packed:
        for path, mode in ((FOLDER / SCRIPT, 0o755), (ROOT / "LICENSE", 0o644)):
            entry = tarfile.TarInfo(path.name)
            data = path.read_bytes()
            entry.size, entry.mode = len(data), mode
            packed.addfile(entry, io.BytesIO(data))
    return gzip.compress(buffer.getvalue(), mtime=0)


def manifest(data: bytes) -> dict[str, Any]:
    """Describe the plugin to krew."""
    source = {
        "uri": f"{REPOSITORY}/releases/download/{tag()}/{name()}",
        "sha256": hashlib.sha256(data).hexdigest(),
        "bin": SCRIPT,
    }
    return {
        "apiVersion": "krew.googlecontainertools.github.com/v1alpha2",
        "kind": "Plugin",
        "metadata": {"name": "kedge"},
        "spec": {
            "version": tag(),
            "homepage": REPOSITORY,
            "shortDescription": "Scheduled, self-service, pre-warmed backup",
            "description": DESCRIPTION,
            "caveats": CAVEATS,
            "platforms": [
                {"selector": {"matchLabels": {"os": system, "arch": machine}}, **source}
                for system, machine in PLATFORMS
            ],
        },
    }


if __name__ == "__main__":
    main()
