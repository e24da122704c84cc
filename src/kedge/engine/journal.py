"""The log of one run, and its warnings and errors as results."""

import re
import zlib
from collections.abc import Mapping
from tempfile import TemporaryFile
from typing import IO, Final

from kedge.aio.clock import Clock
from kedge.kube.gotext import quote
from kedge.kube.kind import Object
from kedge.kube.times import format_time

SPOOL_BYTES: Final = 2**20
"""So much of the packed log is kept in memory; what is beyond goes to a file."""
KEPT: Final = 10_000
"""Texts of errors, and as many of warnings, that the results hold; all are counted."""
_BARE: Final = re.compile(r"[A-Za-z0-9\-._/@^+]*").fullmatch
_GZIP: Final = 16 + zlib.MAX_WBITS


class Journal:
    """Writes a log in the form of Velero's, and keeps what it warns of and what went wrong.

    Facts have names; four of them are told in the results, too: `resource`, `name`, `error` and
    `namespace`, which is empty for what is in no namespace and left out for what is no object.
    """

    def __init__(
        self, clock: Clock, facts: Mapping[str, str] | None = None, *, plain: bool = False
    ) -> None:
        """Begin a log; `facts` are in each line, `plain` results hold the messages alone."""
        self.warnings = 0
        self.errors = 0
        self._clock = clock
        self._facts = dict(facts or {})
        self._plain = plain
        self._found = {"errors": _Found(), "warnings": _Found()}
        self._packer: zlib._Compress | None = _packer()
        self._spool = _Spool()
        self._packed = b""

    def info(self, message: str, **facts: str) -> None:
        """Tell what is going on."""
        self._write("info", message, facts)

    def warning(self, message: str, **facts: str) -> None:
        """Tell what somebody should look at."""
        self.warnings += 1
        self._write("warning", message, facts)
        self._found["warnings"].add(self._text(message, facts), facts.get("namespace"))

    def error(self, message: str, **facts: str) -> None:
        """Tell what went wrong."""
        self.errors += 1
        self._write("error", message, facts)
        self._found["errors"].add(self._text(message, facts), facts.get("namespace"))

    def results(self) -> Object:
        """Give errors and warnings by where they belong: velero, cluster, namespaces."""
        return {level: found.results() for level, found in self._found.items()}

    def log(self) -> bytes:
        """Give the log as it is by now, packed with gzip; it can be asked for again."""
        if self._packer is not None:
            self._spool.add(self._packer.flush())
            self._packed += self._spool.whole()
            self._packer = None
        return self._packed

    def close(self) -> None:
        """Drop the log; whoever has read it need not."""
        self._spool.close()

    def _write(self, level: str, message: str, facts: Mapping[str, str]) -> None:
        fields = {**self._facts, **facts}
        rest = "".join(f" {name}={_shown(fields[name])}" for name in sorted(fields))
        time = format_time(self._clock.now())
        line = f'time="{time}" level={level} msg={_shown(message)}{rest}\n'
        if self._packer is None:
            # What comes after the log was given begins a part of its own, as gzip allows.
            self._packer = _packer()
        self._spool.add(self._packer.compress(line.encode("utf-8", "replace")))

    def _text(self, message: str, facts: Mapping[str, str]) -> str:
        if self._plain:
            return f"{message}: {facts['error']}" if "error" in facts else message
        parts = [f" {name}: /{facts[name]}" for name in ("resource", "name") if name in facts]
        parts.append(f" message: /{message}")
        if "error" in facts:
            parts.append(f" error: /{facts['error']}")
        return "".join(parts)


def _packer() -> "zlib._Compress":
    return zlib.compressobj(level=1, wbits=_GZIP)


class _Spool:
    """Bytes that come little by little; many of them are kept in a file without a name."""

    def __init__(self) -> None:
        self._file: IO[bytes] | None = None
        self._kept = bytearray()

    def add(self, data: bytes) -> None:
        self._kept += data
        if len(self._kept) > SPOOL_BYTES:
            if self._file is None:
                self._file = TemporaryFile()  # noqa: SIM115 - it lives as long as the log
            self._file.write(self._kept)
            self._kept.clear()

    def whole(self) -> bytes:
        """Give all, and let go of it."""
        data = bytes(self._kept)
        if self._file is not None:
            self._file.seek(0)
            data = self._file.read() + data
        self.close()
        self._kept.clear()
        return data

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


class _Found:
    """Texts of one level, sorted by where they belong."""

    def __init__(self) -> None:
        self.velero: list[str] = []
        self.places: dict[str, list[str]] = {}
        self.count = 0

    def add(self, text: str, namespace: str | None) -> None:
        self.count += 1
        if self.count > KEPT:
            return
        where = self.velero if namespace is None else self.places.setdefault(namespace, [])
        where.append(text)

    def results(self) -> Object:
        velero = list(self.velero)
        if self.count > KEPT:
            velero.append(f"{self.count - KEPT} more are told in the log only")
        namespaces = {name: texts for name, texts in sorted(self.places.items()) if name}
        parts = {"velero": velero, "cluster": self.places.get(""), "namespaces": namespaces}
        return {name: part for name, part in parts.items() if part}


def _shown(text: str) -> str:
    return text if text and _BARE(text) else quote(text)
