import gzip

import pytest

from kedge.cli.errors import Failure
from kedge.cli.gunzip import PIECE, Gunzip

TEXT = b"line\n" * 1000


def unpacked(data: bytes, size: int) -> bytes:
    gunzip = Gunzip()
    found = b""
    for start in range(0, len(data), size):
        found += b"".join(gunzip.feed(data[start : start + size]))
    return found + b"".join(gunzip.finish())


@pytest.mark.parametrize("size", [1, 2, 7, 100_000])
def test_pieces_of_any_size_become_the_text(size: int) -> None:
    assert unpacked(gzip.compress(TEXT), size) == TEXT


@pytest.mark.parametrize("size", [1, 3, 100_000])
def test_gzip_after_gzip_is_one_text(size: int) -> None:
    assert unpacked(gzip.compress(b"a") + gzip.compress(b"") + gzip.compress(b"b"), size) == b"ab"


@pytest.mark.parametrize("text", [b"", b"x", b"plain text"])
@pytest.mark.parametrize("size", [1, 100])
def test_what_is_not_packed_stays_as_it_is(text: bytes, size: int) -> None:
    assert unpacked(text, size) == text


def test_zeros_behind_the_end_do_not_matter() -> None:
    assert unpacked(gzip.compress(TEXT) + bytes(20), 64) == TEXT


def test_few_bytes_that_become_many_come_in_pieces() -> None:
    bomb = gzip.compress(bytes(5 * PIECE + 3))
    sizes = [len(piece) for piece in Gunzip().feed(bomb)]
    assert sum(sizes) == 5 * PIECE + 3
    assert max(sizes) <= PIECE


def test_what_breaks_off_is_refused() -> None:
    with pytest.raises(Failure, match="ends too early"):
        unpacked(gzip.compress(TEXT)[:-9], 100)


def test_what_is_damaged_is_refused() -> None:
    data = bytearray(gzip.compress(TEXT))
    data[20] ^= 0xFF
    with pytest.raises(Failure, match="is not gzip"):
        unpacked(bytes(data), 100)
