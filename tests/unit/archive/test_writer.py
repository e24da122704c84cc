"""Archives that we write are what any tar, and Velero's layout, wants."""

import gzip
import hashlib
import io
import random
import tarfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.archive.errors import ArchiveError
from kedge.archive.item import Item, Place
from kedge.archive.limits import DEFAULT
from kedge.archive.writer import ArchiveWriter
from tests.formats.checker import read_tarball
from tests.unit.archive.archives import item, obj, plain, versioned, written

SEGMENTS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="/\0"),
    min_size=1,
    max_size=260,
).filter(lambda text: text not in {".", ".."})


def listed(data: bytes) -> list[tarfile.TarInfo]:
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        return tar.getmembers()


def test_each_item_is_written_under_both_paths_after_the_version() -> None:
    data = written([item("pods", "ns", "a"), item("namespaces", "", "ns")])
    assert [member.name for member in listed(data)] == [
        "metadata/version",
        "resources/pods/namespaces/ns/a.json",
        "resources/pods/v1-preferredversion/namespaces/ns/a.json",
        "resources/namespaces/cluster/ns.json",
        "resources/namespaces/v1-preferredversion/cluster/ns.json",
    ]


def test_members_are_regular_files_that_tell_nothing_of_us() -> None:
    for member in listed(written([item("pods", "ns", "a")], mtime=12345)):
        assert member.type == tarfile.REGTYPE
        assert (member.mode, member.uid, member.gid) == (0o755, 0, 0)
        assert (member.uname, member.gname, member.mtime) == ("", "", 12345)


def test_the_gzip_header_tells_no_time_and_no_name() -> None:
    assert written([])[:8] == b"\x1f\x8b\x08\0\0\0\0\0"


def test_the_same_items_give_the_same_bytes_however_they_are_taken() -> None:
    items = [item("pods", "ns", f"p{number}", data="x" * 999) for number in range(500)]
    writer = ArchiveWriter(1_700_000_000)
    for one in items:
        writer.add(one)
    at_once = writer.take() + writer.finish()
    assert gzip.decompress(at_once) == gzip.decompress(written(items))
    assert written(items) == written(items)


def test_the_writer_knows_what_it_gave_out() -> None:
    writer = ArchiveWriter(0)
    writer.add(item("pods", "ns", "a"))
    data = writer.finish()
    assert writer.items == 1
    assert writer.bytes_written == len(data)
    assert writer.sha256 == hashlib.sha256(data).hexdigest()


def test_bytes_come_out_before_the_end() -> None:
    writer = ArchiveWriter(0)
    chance = random.Random(1)
    taken = 0
    for number in range(2000):
        writer.add(item("pods", "ns", f"p{number}", data=chance.randbytes(900).hex()))
        taken += len(writer.take())
    assert taken == writer.bytes_written
    assert len(writer.finish()) < taken


@pytest.mark.parametrize("length", [1, 50, 69, 70, 99, 100, 101, 155, 156, 200, 253])
@pytest.mark.parametrize("namespace", ["", "n", "n" * 63])
@pytest.mark.parametrize("resource", ["pods", "averylongresourcename." + "group." * 20 + "example"])
def test_names_of_all_lengths_are_read_by_tarfile(
    resource: str, namespace: str, length: int
) -> None:
    name = "x" * length
    names = [member.name for member in listed(written([item(resource, namespace, name)]))]
    assert names[1:] == [
        plain(resource, namespace, name),
        versioned(resource, "v1-preferredversion", namespace, name),
    ]


@given(SEGMENTS, SEGMENTS, SEGMENTS, st.binary(max_size=2000))
def test_any_name_comes_back_by_tarfile(
    resource: str, namespace: str, name: str, data: bytes
) -> None:
    archive = written([Item(Place(resource, namespace, name), "v1", data)])
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        members = tar.getmembers()[1:]
        assert members[0].name == plain(resource, namespace, name)
        assert members[1].name == versioned(resource, "v1-preferredversion", namespace, name)
        for member in members:
            file = tar.extractfile(member)
            assert file is not None
            assert file.read() == data


@pytest.mark.parametrize("size", [0, 1, 511, 512, 513, 1024, 300_000])
def test_data_of_all_sizes_fills_whole_blocks(size: int) -> None:
    archive = written([Item(Place("pods", "ns", "a"), "v1", b"x" * size), item("pods", "ns", "b")])
    assert [member.size for member in listed(archive)][1:3] == [size, size]
    assert len(gzip.decompress(archive)) % 512 == 0


@pytest.mark.parametrize("bad", ["", ".", "..", "a/b", "a\0b"])
@pytest.mark.parametrize("part", ["resource", "name", "version"])
def test_parts_that_cannot_be_in_a_path_are_refused(bad: str, part: str) -> None:
    parts = {"resource": "pods", "name": "a", "version": "v1"} | {part: bad}
    place = Place(parts["resource"], "ns", parts["name"])
    with pytest.raises(ArchiveError):
        ArchiveWriter(0).add(Item(place, parts["version"], b"{}"))


def test_a_namespace_that_leads_out_is_refused() -> None:
    with pytest.raises(ArchiveError, match="cannot be part of a path"):
        ArchiveWriter(0).add(Item(Place("pods", "..", "a"), "v1", b"{}"))


@pytest.mark.parametrize("name", ["x" * 321, "\ud800"])
def test_names_that_are_none_are_refused(name: str) -> None:
    with pytest.raises(ArchiveError, match="cannot be part of a path"):
        ArchiveWriter(0).add(Item(Place("pods", "n", name), "v1", b"{}"))


def test_an_item_that_no_reader_would_take_is_refused() -> None:
    writer = ArchiveWriter(0)
    with pytest.raises(ArchiveError, match="at most"):
        writer.add(Item(Place("pods", "n", "a"), "v1", bytes(DEFAULT.item_bytes + 1)))
    assert writer.items == 0


@pytest.mark.parametrize("mtime", [-1, 0, 1_700_000_000, 8**12])
def test_any_time_is_written_somehow(mtime: int) -> None:
    assert listed(written([], mtime))[0].name == "metadata/version"


def test_the_checker_finds_nothing_wrong() -> None:
    items = [item("pods", "ns", "a"), item("namespaces", "", "ns"), item("pods", "ns", "x" * 200)]
    found, problems = read_tarball(written(items))
    assert problems == []
    assert len(found) == 3


def test_the_checker_finds_what_is_wrong() -> None:
    wrong = Item(Place("pods.example.com", "ns", "a"), "v2", obj("b", "ns"))
    _, problems = read_tarball(written([wrong]))
    assert len(problems) == 3
