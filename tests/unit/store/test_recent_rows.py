from kedge.store.recent import Recent
from kedge.store.record import Record


def row(key: str, revision: int = 1, size: int = 4, *, deleted: bool = False) -> Record:
    return Record(revision, key, b"x" * size, revision, 0, deleted)


def test_what_was_told_last_of_a_key_is_known() -> None:
    recent = Recent(100)
    assert recent.get("/a") is None
    recent.put(row("/a"))
    recent.put(newest := row("/a", 2))
    assert recent.get("/a") == newest
    assert len(recent) == 1


def test_a_tombstone_makes_a_key_unknown() -> None:
    recent = Recent(100)
    recent.put(row("/a"))
    recent.put(row("/a", 2, deleted=True))
    assert recent.get("/a") is None


def test_the_rows_that_came_first_make_room() -> None:
    recent = Recent(10)
    for number in range(4):
        recent.put(row(f"/{number}", number))
    assert [recent.get(f"/{number}") is not None for number in range(4)] == [
        False,
        False,
        True,
        True,
    ]


def test_a_row_that_is_written_again_counts_once_and_is_young() -> None:
    recent = Recent(10)
    recent.put(row("/a"))
    recent.put(row("/b"))
    recent.put(row("/a", 2))
    recent.put(row("/c"))
    assert recent.get("/a") is not None
    assert recent.get("/b") is None


def test_a_row_larger_than_all_room_is_not_kept_and_drives_nobody_out() -> None:
    recent = Recent(10)
    recent.put(row("/a"))
    recent.put(row("/b", size=11))
    assert recent.get("/b") is None
    assert recent.get("/a") is not None


def test_what_is_forgotten_leaves_its_room() -> None:
    recent = Recent(8)
    recent.put(row("/a"))
    recent.forget("/a")
    recent.forget("/a")
    recent.put(row("/b"))
    recent.put(row("/c"))
    assert len(recent) == 2
    recent.clear()
    assert len(recent) == 0
