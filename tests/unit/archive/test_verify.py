"""An archive of ours is verified: whole, readable, and what the writer says that it wrote."""

import pytest

from kedge.archive.errors import ArchiveError
from kedge.archive.item import Item, Place
from kedge.archive.verify import Summary, Verifier
from kedge.archive.writer import ArchiveWriter
from tests.unit.archive.archives import VERSION, item, obj, packed, plain, versioned, written


def verified(data: bytes, step: int = 100) -> Summary:
    verifier = Verifier()
    for start in range(0, len(data), step):
        verifier.feed(data[start : start + step])
    return verifier.finish()


def test_the_summary_is_what_the_writer_knows() -> None:
    writer = ArchiveWriter(7)
    for number in range(20):
        writer.add(item("pods", "n", f"p{number}"))
    data = writer.finish()
    assert verified(data) == Summary(20, writer.bytes_written, writer.sha256)


def test_an_empty_backup_is_whole() -> None:
    assert verified(written([])).items == 0


@pytest.mark.parametrize("cut", [1, 8, 20, 100])
def test_a_cut_archive_is_not_whole(cut: int) -> None:
    with pytest.raises(ArchiveError):
        verified(written([item("pods", "n", "a")])[:-cut])


PAIR = [
    (plain("pods", "n", "a"), obj("a", "n")),
    (versioned("pods", "v1-preferredversion", "n", "a"), obj("a", "n")),
]


@pytest.mark.parametrize(
    ("members", "reason"),
    [
        pytest.param([*PAIR], "does not say 1.1.0", id="no version"),
        pytest.param([("metadata/version", b"1.0.0"), *PAIR], "does not say", id="old version"),
        pytest.param([VERSION, *PAIR, ("x", b"")], "no item", id="a file of another kind"),
        pytest.param([VERSION, *PAIR, *PAIR], "twice", id="twice"),
        pytest.param(
            [VERSION, PAIR[0], (PAIR[1][0], obj("a", "n", x=1))], "differs", id="two versions"
        ),
        pytest.param([VERSION, (PAIR[0][0], b"{"), (PAIR[1][0], b"{")], "JSON", id="no JSON"),
    ],
)
def test_what_we_would_not_write_is_refused(members: list[tuple[str, bytes]], reason: str) -> None:
    with pytest.raises(ArchiveError, match=reason):
        verified(packed(members))


def test_an_item_with_another_name_is_refused() -> None:
    with pytest.raises(ArchiveError, match="another name"):
        verified(written([Item(Place("pods", "n", "a"), "v1", obj("b", "n"))]))
