from collections.abc import Iterator

import pytest

from kedge.apiserver.verbs.watch import PIECE_BYTES, pieces


@pytest.mark.parametrize("count", [0, 1, 3])
def test_few_lines_are_one_piece(count: int) -> None:
    assert list(pieces([b"line\n"] * count)) == ([b"line\n" * count] if count else [])


def test_many_lines_are_pieces_of_some_size_and_none_is_lost() -> None:
    lines = [b"%06d" % number * 1000 for number in range(500)]
    found = list(pieces(lines))
    assert b"".join(found) == b"".join(lines)
    assert all(len(piece) < PIECE_BYTES + len(lines[0]) for piece in found)
    assert len(found) > 5


def test_lines_are_written_only_when_they_are_sent() -> None:
    written = []

    def write() -> Iterator[bytes]:
        for number in range(4):
            written.append(number)
            yield b"x" * PIECE_BYTES

    sent = pieces(write())
    next(sent)
    assert written == [0]
