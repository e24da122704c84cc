"""Archives that are not to be trusted are refused by name, whatever they try."""

import gzip
import io
import random
import tarfile
import tracemalloc
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kedge.archive.contents import ContentsBuilder
from kedge.archive.errors import ArchiveError
from kedge.archive.header import BLOCK, Headers, padding
from kedge.archive.limits import Limits
from kedge.archive.path import KEPT
from kedge.archive.verify import Verifier
from tests.unit.archive.archives import (
    VERSION,
    everything,
    item,
    obj,
    opened,
    packed,
    plain,
    tarred,
    versioned,
    written,
)

GOOD = (plain("pods", "n", "a"), obj("a", "n"))


def special(name: str, type_: bytes, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type = type_
    info.linkname = link
    return info


def refused(data: bytes, limits: Limits | None = None) -> ArchiveError:
    with pytest.raises(ArchiveError) as told:
        opened(data, limits or Limits(), step=100_000)
    return told.value


@pytest.mark.parametrize(
    "path",
    [
        "../etc/passwd",
        "resources/../../x.json",
        "resources/pods/namespaces/../a.json",
        "resources/pods/cluster/..",
        "/etc/passwd",
        "//etc/passwd",
        "resources//pods/cluster/a.json",
        "resources/./pods/cluster/a.json",
        "./../x",
        "",
        "resources/pods/cluster/\udcff.json",
    ],
)
def test_paths_that_lead_elsewhere_are_refused(path: str) -> None:
    info = tarfile.TarInfo(path)
    told = refused(packed([VERSION, GOOD, info], tarfile.GNU_FORMAT))
    assert told.reason


@pytest.mark.parametrize(
    ("known", "path"),
    [
        ("a", "/a"),
        ("a", ".."),
        ("./a", "./.."),
        (GOOD[0], "resources/pods/namespaces/n/.."),
        (GOOD[0], "resources/pods/namespaces/n/."),
        (GOOD[0], "/resources/pods/namespaces/n/a.json"),
        (GOOD[0], "resources/pods/namespaces/n/\udcff.json"),
    ],
)
def test_a_known_folder_excuses_nothing(known: str, path: str) -> None:
    data = packed([(known, obj("a", "n")), tarfile.TarInfo(path)], tarfile.GNU_FORMAT)
    assert refused(data).reason


def test_a_name_of_pax_with_a_zero_byte_is_refused_in_a_known_folder() -> None:
    info = tarfile.TarInfo("resources/pods/namespaces/n/b")
    info.pax_headers = {"path": "resources/pods/namespaces/n/b\0.json"}
    assert "zero byte" in refused(packed([GOOD, info])).reason


def test_more_folders_than_are_kept_are_told_apart() -> None:
    names = [f"{number}" for number in range(2 * KEPT)]
    files = [(plain("pods", f"n{name}", name), obj(name, f"n{name}")) for name in names * 2]
    assert refused(packed(files)).reason == "it is there twice"
    assert len(everything(opened(packed(files[: len(names)])))) == len(names)


@pytest.mark.parametrize(
    ("type_", "word"),
    [
        (tarfile.SYMTYPE, "symbolic link"),
        (tarfile.LNKTYPE, "hard link"),
        (tarfile.CHRTYPE, "character device"),
        (tarfile.BLKTYPE, "block device"),
        (tarfile.FIFOTYPE, "named pipe"),
        (tarfile.GNUTYPE_SPARSE, "sparse file"),
        (b"V", "of the type"),
    ],
)
@pytest.mark.parametrize("link", ["target", "t" * 150])
def test_what_is_no_regular_file_is_refused_by_name(type_: bytes, word: str, link: str) -> None:
    path = "resources/pods/cluster/evil.json"
    told = refused(packed([VERSION, GOOD, special(path, type_, link)], tarfile.GNU_FORMAT))
    assert told.member == path
    assert word in told.reason


def test_a_folder_that_leads_out_is_refused() -> None:
    assert refused(packed([special("../x", tarfile.DIRTYPE)])).member == "../x"


def test_a_sparse_file_of_pax_is_refused() -> None:
    info = tarfile.TarInfo("resources/pods/cluster/a.json")
    info.pax_headers = {"GNU.sparse.major": "1", "GNU.sparse.name": "evil"}
    told = refused(packed([VERSION, info]))
    assert (told.member, "sparse" in told.reason) == ("evil", True)


@pytest.mark.parametrize("key", ["path", "size"])
def test_a_pax_header_that_names_all_members_is_refused(key: str) -> None:
    raw = io.BytesIO()
    with tarfile.open(
        fileobj=raw, mode="w", format=tarfile.PAX_FORMAT, pax_headers={key: "12"}
    ) as tar:
        tar.addfile(tarfile.TarInfo("a"))
    assert "all members" in refused(gzip.compress(raw.getvalue())).reason


@pytest.mark.parametrize("between", [[], [(plain("pods", "n", "b"), obj("b", "n"))]])
def test_a_file_that_is_there_twice_is_refused(between: list[tuple[str, bytes]]) -> None:
    told = refused(packed([VERSION, GOOD, *between, GOOD]))
    assert "a" in told.member
    assert told.reason == "it is there twice"


def test_a_versioned_file_that_is_there_twice_is_refused() -> None:
    again = (versioned("pods", "v1-preferredversion", "n", "a"), obj("a", "n"))
    assert refused(packed([VERSION, GOOD, again, again])).reason == "it is there twice"
    other = (plain("pods", "n", "b"), obj("b", "n"))
    assert refused(packed([again, other, again])).reason == "it is there twice"


def test_a_version_that_is_there_twice_is_refused() -> None:
    assert refused(packed([VERSION, VERSION])).member == "metadata/version"


class TestBombs:
    """Limits hold before memory or time are spent."""

    def test_one_large_item_is_refused_before_it_is_read(self) -> None:
        header = Headers(0).member(GOOD[0], 8 * 10**9)
        told = refused(gzip.compress(header + bytes(10_000)))
        assert told.member == GOOD[0]
        assert "8000000000 bytes" in told.reason

    def test_a_size_in_binary_is_understood_and_refused(self) -> None:
        info = tarfile.TarInfo(GOOD[0])
        info.size = 2**62
        told = refused(gzip.compress(info.tobuf(tarfile.GNU_FORMAT)))
        assert str(2**62) in told.reason

    def test_a_size_of_pax_is_understood_and_refused(self) -> None:
        info = tarfile.TarInfo(GOOD[0])
        info.size = 2**62
        assert str(2**62) in refused(gzip.compress(info.tobuf(tarfile.PAX_FORMAT))).reason

    def test_zeros_without_end_are_refused_with_little_memory(self) -> None:
        packer = gzip.compress(bytes(20 * 2**20))
        limits = Limits(free_bytes=2**20)
        archive = gzip.compress(tarred([VERSION])) + packer * 20
        tracemalloc.start()
        told = refused(archive, limits)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert "250 times its size" in told.reason
        assert peak < 10 * 2**20

    def test_an_item_that_unpacks_to_too_much_is_refused(self) -> None:
        big = (plain("pods", "n", "a"), obj("a", "n", x="y" * 3_000_000))
        assert "250 times" in refused(packed([VERSION, big]), Limits(free_bytes=2**20)).reason
        assert opened(packed([VERSION, big]), step=100_000).count("pods") == 1

    def test_too_many_members_are_refused(self) -> None:
        members = [(f"x/{number}", b"") for number in range(11)]
        assert "more than 10 members" in refused(packed(members), Limits(members=10)).reason

    def test_too_many_kinds_are_refused(self) -> None:
        members = [(plain(f"r{n}", "", "a"), obj("a")) for n in range(11)]
        assert "more than 10 kinds" in refused(packed(members), Limits(resources=10)).reason

    @pytest.mark.parametrize("format_", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
    def test_a_name_that_is_too_long_is_refused_and_cut(self, format_: int) -> None:
        told = refused(packed([("x" * 9000, b"")], format_))
        assert "longer than 8192 bytes" in told.reason
        assert len(told.member) == 256

    def test_an_extended_header_that_is_too_long_is_refused(self) -> None:
        told = refused(packed([("x" * 2**21, b"")], tarfile.GNU_FORMAT))
        assert "extended header is too long" in told.reason


class TestDamage:
    """An archive that is not whole is no archive."""

    whole = written([item("pods", "n", f"p{number}", x="y" * 300) for number in range(30)])

    def test_nothing_is_refused(self) -> None:
        assert refused(b"").reason == "it is empty"

    @pytest.mark.parametrize("data", [b"hello", bytes(5000), b"\x1f\x8b", b"PK\x03\x04" * 500])
    def test_what_is_no_gzip_is_refused(self, data: bytes) -> None:
        assert refused(data).member == ""

    def test_gzip_that_holds_no_tar_is_refused(self) -> None:
        assert "no tar archive" in refused(gzip.compress(b"x" * 1000)).reason
        assert "cut off" in refused(gzip.compress(b"x")).reason
        assert "cut off" in refused(gzip.compress(b"")).reason

    def test_an_archive_that_is_cut_anywhere_is_refused(self) -> None:
        for length in range(len(self.whole)):
            with pytest.raises(ArchiveError):
                opened(self.whole[:length], step=10_000)

    def test_tar_data_that_is_cut_anywhere_is_refused(self) -> None:
        raw = tarred([VERSION, GOOD], tarfile.USTAR_FORMAT)
        end = len(raw.rstrip(b"\0")) // BLOCK * BLOCK + BLOCK
        for length in range(0, end, 100):
            assert refused(gzip.compress(raw[:length])).reason

    @pytest.mark.parametrize(
        "more", [b"x", b"\0x", b"\x1f\x8b", b"\x1f", gzip.compress(b"x", mtime=0)]
    )
    def test_something_behind_the_end_is_refused(self, more: bytes) -> None:
        assert refused(self.whole + more).reason

    def test_another_archive_behind_the_end_is_refused(self) -> None:
        assert "behind its end" in refused(self.whole + self.whole).reason

    def test_a_header_that_stands_for_no_file_is_refused(self) -> None:
        info = tarfile.TarInfo("x" * 200)
        head = info.tobuf(tarfile.PAX_FORMAT)[: 2 * BLOCK]
        assert "no file" in refused(gzip.compress(head + bytes(2 * BLOCK))).reason

    @pytest.mark.parametrize(
        "body",
        [b"x", b"5 path=", b"99 path=a\n", b"11 path=a\n", b"-5 a=b\n", b"7 path\n", b"0 a=\n"],
    )
    def test_a_damaged_pax_header_is_refused(self, body: bytes) -> None:
        block = bytearray(Headers(0).member("x", len(body)))
        block[156:157] = b"x"
        block[148:156] = b" " * 8
        block[148:156] = b"%06o\0 " % sum(block)
        data = bytes(block) + body + padding(len(body)) + tarred([GOOD])
        assert "pax header" in refused(gzip.compress(data)).reason


def mutated(data: bytes, seed: int) -> bytes:
    """Change a few bytes, or move, double or drop a stretch."""
    chance = random.Random(seed)
    changed = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(changed))
        size = chance.choice([1, 1, 8, 100, 512])
        match chance.randrange(5):
            case 0:
                changed[at] ^= 1 << chance.randrange(8)
            case 1:
                changed[at : at + size] = chance.randbytes(len(changed[at : at + size]))
            case 2:
                del changed[at : at + size]
            case 3:
                changed[at:at] = changed[at : at + size]
            case _:
                changed[at : at + size] = bytes(len(changed[at : at + size]))
        if not changed:
            break
    return bytes(changed)


ITEMS = [item("pods", f"n{number % 3}", f"p{number}", x="y" * 50) for number in range(8)]
ITEMS.append(item("things.example.com", "", "x" * 200))
RAW = gzip.decompress(written(ITEMS))
OLD = tarred([VERSION, *((plain("pods", "n", "x" * 150), obj("x" * 150, "n")),)], 1)


@settings(deadline=None, max_examples=400)
@given(st.integers(0, 2**32), st.sampled_from(["gzip", "tar", "gnu"]))
def test_damage_of_any_kind_gives_an_error_of_ours_or_items_that_are_right(
    seed: int, layer: str
) -> None:
    if layer == "gzip":
        data = mutated(written(ITEMS), seed)
    else:
        data = gzip.compress(mutated(RAW if layer == "tar" else OLD, seed), compresslevel=1)
    for reader in (ContentsBuilder(io.BytesIO()), Verifier()):
        with suppress(ArchiveError):
            for start in range(0, len(data), 4096):
                reader.feed(data[start : start + 4096])
            reader.finish()
            if layer == "gzip":
                assert everything(opened(data)) == {one.place: one.data for one in ITEMS}


@settings(deadline=None, max_examples=200)
@given(st.binary(max_size=3000))
def test_any_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(ArchiveError):
        opened(data)
    try:
        opened(gzip.compress(data, compresslevel=1))
    except ArchiveError:
        return
    assert not data.strip(b"\0")
