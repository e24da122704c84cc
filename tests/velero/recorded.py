"""The buckets that the original wrote, read with nothing but the standard library."""

import gzip
import json
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).parent / "fixtures"
RESTORED = FIXTURES / "every-kind-restored.json.gz"
"""Resources and objects of an empty cluster after the original had restored `every-kind` there."""
Place = tuple[str, str, str]
"""A resource with its group, a namespace (empty: none) and a name."""


@dataclass(frozen=True)
class Recorded:
    """One bucket with one backup of the same name."""

    name: str

    @property
    def folder(self) -> Path:
        """Give the bucket's folder."""
        return FIXTURES / self.name

    @property
    def archive(self) -> bytes:
        """Give the bytes of the archive."""
        return self.file(f"backups/{self.name}/{self.name}.tar.gz")

    def file(self, key: str) -> bytes:
        """Give the bytes of a file."""
        return (self.folder / key).read_bytes()

    def json(self, key: str) -> Any:
        """Read a JSON file, packed or not."""
        data = self.file(key)
        return json.loads(gzip.decompress(data) if key.endswith(".gz") else data)

    def of_backup(self, what: str) -> Any:
        """Read one of the files beside the archive."""
        return self.json(f"backups/{self.name}/{self.name}-{what}.gz")

    def members(self) -> dict[str, bytes]:
        """Unpack the archive."""
        path = self.folder / f"backups/{self.name}/{self.name}.tar.gz"
        with tarfile.open(path) as archive:
            files = [one for one in archive if one.isfile()]
            return {one.name: _bytes(archive, one) for one in files}

    def items(self) -> dict[Place, bytes]:
        """Give the items at paths without a version."""
        found: dict[Place, bytes] = {}
        for path, data in self.members().items():
            match path.removesuffix(".json").split("/", 4):
                case ["resources", resource, "cluster", name]:
                    found[resource, "", name] = data
                case ["resources", resource, "namespaces", namespace, name]:
                    found[resource, namespace, name] = data
        return found


EVERY_KIND = Recorded("every-kind")
PARTIAL = Recorded("partial")
VERSIONS = Recorded("versions")
ALL = (EVERY_KIND, PARTIAL, VERSIONS)


def restored_by_the_original() -> dict[Place, dict[str, Any]]:
    """Give the objects of a cluster that was empty before the original restored `every-kind`."""
    found = json.loads(gzip.decompress(RESTORED.read_bytes()))
    return {
        (resource, obj["metadata"].get("namespace", ""), obj["metadata"]["name"]): obj
        for resource, obj in found
    }


def _bytes(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    opened = archive.extractfile(member)
    assert opened is not None
    return opened.read()
