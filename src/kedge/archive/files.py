"""The files beside the archive: JSON, mostly in gzip, for the same value always the same bytes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec
from isal import isal_zlib

from kedge.archive.errors import ArchiveError, FileError
from kedge.archive.inflate import GZIP, Inflater
from kedge.archive.limits import DEFAULT, Limits

LEVEL: Final = 2
"""Of isal: about what zlib's 3 gives, in a sixth of the time."""


@dataclass(slots=True)
class Results:
    """Texts of warnings, or of errors, by what they are about."""

    velero: list[str] = field(default_factory=list)
    """About the run itself."""
    cluster: list[str] = field(default_factory=list)
    """About objects of the cluster."""
    namespaces: dict[str, list[str]] = field(default_factory=dict)
    """About objects in a namespace."""

    @property
    def count(self) -> int:
        """Tell how many texts there are."""
        return len(self.velero) + len(self.cluster) + sum(map(len, self.namespaces.values()))

    def to_json(self) -> dict[str, Any]:
        """Give what is written to a file: empty parts are left out."""
        parts = {"velero": self.velero, "cluster": self.cluster}
        shown: dict[str, Any] = {name: texts for name, texts in parts.items() if texts}
        if namespaces := {name: texts for name, texts in self.namespaces.items() if texts}:
            shown["namespaces"] = namespaces
        return shown


class _Part(msgspec.Struct):
    velero: list[str] | None = None
    cluster: list[str] | None = None
    namespaces: dict[str, list[str] | None] | None = None


class _Both(msgspec.Struct):
    errors: _Part | None = None
    warnings: _Part | None = None


def gzip(data: bytes) -> bytes:
    """Pack bytes; the header tells no time."""
    packer = isal_zlib.compressobj(LEVEL, isal_zlib.DEFLATED, GZIP)
    return packer.compress(data) + packer.flush()


def gunzip(data: bytes, what: str, limits: Limits = DEFAULT) -> bytes:
    """Unpack a file; raises FileError if it is not whole or too large."""
    inflater = Inflater(limits)
    unpacked = bytearray()
    try:
        for piece in inflater.feed(data):
            unpacked += piece
            _check_size(len(unpacked), limits)
        inflater.finish()
    except ArchiveError as exc:
        raise FileError(what, exc.reason) from exc
    return bytes(unpacked)


def _check_size(unpacked: int, limits: Limits) -> None:
    if unpacked > limits.file_bytes:
        raise ArchiveError("", f"it unpacks to more than {limits.file_bytes} bytes")


def gz_json(value: Any) -> bytes:
    """Write a value as gzip JSON, with the keys of maps in order."""
    return gzip(msgspec.json.encode(value, order="deterministic") + b"\n")


def read_gz_json(data: bytes, what: str, limits: Limits = DEFAULT) -> Any:
    """Read a gzip JSON file; raises FileError, which names the file by `what`."""
    return _decode(gunzip(data, what, limits), what, Any)


def metadata_json(obj: Mapping[str, Any]) -> bytes:
    """Write an object as Velero does: its kind first, indented by two."""
    first = {name: obj[name] for name in ("kind", "apiVersion") if name in obj}
    ordered = {**first, **{name: obj[name] for name in obj if name not in first}}
    return msgspec.json.format(msgspec.json.encode(ordered), indent=2) + b"\n"


def read_metadata(data: bytes, what: str) -> dict[str, Any]:
    """Read an object that was written as JSON; raises FileError."""
    obj: dict[str, Any] = _decode(data, what, dict[str, Any])
    metadata = obj.get("metadata")
    if not isinstance(metadata, dict) or not isinstance(metadata.get("name"), str):
        raise FileError(what, "it is not an object with a metadata.name")
    return obj


def results_file(errors: Results, warnings: Results) -> bytes:
    """Write the file of results of a backup or a restore."""
    return gz_json({"errors": errors.to_json(), "warnings": warnings.to_json()})


def read_results(data: bytes, what: str, limits: Limits = DEFAULT) -> tuple[Results, Results]:
    """Read the errors and the warnings of a file of results; raises FileError."""
    both = _decode(gunzip(data, what, limits), what, _Both)
    return _results(both.errors), _results(both.warnings)


def resource_list_file(listed: Mapping[str, list[str]]) -> bytes:
    """Write the list of what a backup holds, or of what a restore did, each part in order."""
    return gz_json({name: sorted(entries) for name, entries in listed.items()})


def read_resource_list(data: bytes, what: str, limits: Limits = DEFAULT) -> dict[str, list[str]]:
    """Read a list of resources; raises FileError."""
    listed = _decode(gunzip(data, what, limits), what, dict[str, list[str] | None] | None)
    return {name: entries or [] for name, entries in (listed or {}).items()}


def _results(part: _Part | None) -> Results:
    if part is None:
        return Results()
    namespaces = {name: texts or [] for name, texts in (part.namespaces or {}).items()}
    return Results(part.velero or [], part.cluster or [], namespaces)


def _decode(data: bytes, what: str, type_: Any) -> Any:
    try:
        return msgspec.json.decode(data, type=type_)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as exc:
        raise FileError(what, f"it is not the JSON that it should be: {exc}"[:256]) from exc
