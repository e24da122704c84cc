"""Records by resource in one file, in packed blocks: memory holds where the blocks are."""

from array import array
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from struct import Struct
from typing import BinaryIO, Final, NamedTuple

from isal import isal_zlib

from kedge.archive.errors import ArchiveError

BLOCK_BYTES: Final = 128 * 1024
"""Of a block, unpacked: four times what deflate looks back, so that little is lost by the cut."""
OPEN_BYTES: Final = 8 * 1024 * 1024
"""Of all blocks that wait for more; beyond it they are written as they are."""
KEPT: Final = 8
"""Blocks that are kept unpacked, for objects that are looked up near each other."""
_RAW: Final = -15
_LEVEL: Final = 2
_SIZES: Final = Struct("<HHHI")


class Record(NamedTuple):
    """One object in a block."""

    namespace: str
    name: str
    version: str
    data: bytes


@dataclass(slots=True)
class _Open:
    """A block that is not written yet."""

    number: int
    records: list[bytes] = field(default_factory=list)
    size: int = 0


class Scratch:
    """Keeps records in a file that is handed in and that nobody else writes to."""

    def __init__(self, file: BinaryIO, resources: int) -> None:
        self.counts = array("L")
        """How many records each block has."""
        self._file = file
        self._limit = resources
        self._starts = array("Q")
        self._lengths = array("L")
        self._blocks: dict[str, array[int]] = {}
        self._names: list[str] = []
        self._numbers: dict[str, int] = {}
        self._owners = array("L")
        self._open: dict[str, _Open] = {}
        self._open_bytes = 0
        self._end = 0
        self._kept: OrderedDict[int, bytes] = OrderedDict()

    @property
    def resources(self) -> list[str]:
        """All resources, in the order in which they came."""
        return list(self._names)

    def add(self, resource: str, record: Record) -> tuple[int, int]:
        """Keep a record; give its block and its slot in it."""
        block = self._open.get(resource) or self._begin(resource)
        slot = len(block.records)
        packed = _packed(record)
        block.records.append(packed)
        block.size += len(packed)
        self._open_bytes += len(packed)
        if block.size >= BLOCK_BYTES:
            self._write(resource)
        elif self._open_bytes >= OPEN_BYTES:
            self.flush()
        return block.number, slot

    def flush(self) -> None:
        """Write all blocks that wait for more."""
        for resource in list(self._open):
            self._write(resource)

    def blocks(self, resource: str) -> "array[int]":
        """Give the numbers of a resource's blocks."""
        return self._blocks.get(resource) or array("L")

    def resource_of(self, block: int) -> str:
        """Tell of which resource a block is."""
        return self._names[self._owners[block]]

    def records(self, block: int) -> Iterator[Record]:
        """Go through the records of a block."""
        data = self._read(block)
        at = 0
        while at < len(data):
            record, at = _unpacked(data, at)
            yield record

    def record(self, block: int, slot: int) -> Record:
        """Give one record; blocks looked at lately are at hand."""
        data = self._kept.pop(block, None)
        if data is None:
            data = self._read(block)
        self._kept[block] = data
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        at = 0
        for _ in range(slot):
            at = _after(data, at)
        return _unpacked(data, at)[0]

    def _begin(self, resource: str) -> _Open:
        block = _Open(len(self._starts))
        self._starts.append(0)
        self._lengths.append(0)
        self.counts.append(0)
        if resource not in self._blocks:
            if len(self._blocks) >= self._limit:
                raise ArchiveError("", f"it has more than {self._limit} kinds of objects")
            self._blocks[resource] = array("L")
            self._numbers[resource] = len(self._names)
            self._names.append(resource)
        self._blocks[resource].append(block.number)
        self._owners.append(self._numbers[resource])
        self._open[resource] = block
        return block

    def _write(self, resource: str) -> None:
        block = self._open.pop(resource)
        self._open_bytes -= block.size
        packed = isal_zlib.compress(b"".join(block.records), _LEVEL, _RAW)
        self._starts[block.number] = self._end
        self._lengths[block.number] = len(packed)
        self.counts[block.number] = len(block.records)
        self._file.seek(self._end)
        self._file.write(packed)
        self._end += len(packed)

    def _read(self, block: int) -> bytes:
        self._file.seek(self._starts[block])
        return isal_zlib.decompress(self._file.read(self._lengths[block]), _RAW)


def _packed(record: Record) -> bytes:
    texts = [text.encode("utf-8", "surrogatepass") for text in record[:3]]
    sizes = _SIZES.pack(*map(len, texts), len(record.data))
    return b"".join((sizes, *texts, record.data))


def _unpacked(data: bytes, at: int) -> tuple[Record, int]:
    first, second, third, size = _SIZES.unpack_from(data, at)
    start = at + _SIZES.size
    name, version = start + first, start + first + second
    body = version + third
    texts = (data[start:name], data[name:version], data[version:body])
    namespace, named, told = (text.decode("utf-8", "surrogatepass") for text in texts)
    return Record(namespace, named, told, data[body : body + size]), body + size


def _after(data: bytes, at: int) -> int:
    sizes: tuple[int, ...] = _SIZES.unpack_from(data, at)
    return at + _SIZES.size + sum(sizes)
