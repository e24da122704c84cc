"""Random histories: the log must tell of them what a plain list of rows tells."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kedge.store import KeyExists, Log, Mismatch, Record, StoreSettings

TINY = StoreSettings(
    commit_rows=2, list_rows=2, change_revisions=3, compact_revisions=2, recent_bytes=3
)
KEYS = ["/a/b/1", "/a/b/2", "/a/b/2x", "/a/c/1", "/a/c"]
PREFIXES = ["", "/a/", "/a/b/", "/a/b/2", "/a/c"]

Step = tuple[str, str, int]
steps = st.lists(
    st.tuples(
        st.sampled_from(["put"] * 4 + ["delete"] * 2 + ["stale", "compact", "reopen"]),
        st.sampled_from(KEYS),
        st.integers(0, 30),
    ),
    max_size=40,
)


@dataclass
class Model:
    """All rows ever written, and how far they may be forgotten."""

    rows: list[Record] = field(default_factory=list)
    revision: int = 1
    compacted: int = 0

    def live(self, key: str, at: int) -> Record | None:
        rows = [row for row in self.rows if row.key == key and row.revision <= at]
        return rows[-1] if rows and not rows[-1].deleted else None

    def kept(self, row: Record) -> bool:
        """Whether compaction has to keep a row."""
        if row.revision > self.compacted:
            return True
        return self.live(row.key, self.compacted) == row

    def add(self, key: str, *, deleted: bool) -> Record:
        self.revision += 1
        before = [row for row in self.rows if row.key == key and self.kept(row)]
        alive = bool(before) and not before[-1].deleted
        row = Record(
            self.revision,
            key,
            b"%d" % self.revision,
            before[-1].created if alive else self.revision,
            before[-1].revision if before else 0,
            deleted,
        )
        self.rows.append(row)
        return row


async def step(log: Log, model: Model, what: str, key: str, number: int) -> None:
    current = model.live(key, model.revision)
    expect = current.revision if current else 0
    if what == "put":
        assert await log.append(key, lambda r: b"%d" % r, expect) == model.add(key, deleted=False)
    elif what == "delete" and current:
        assert await log.delete(key, lambda r: b"%d" % r, expect) == model.add(key, deleted=True)
    elif what == "stale" and number != expect:
        with pytest.raises((KeyExists, Mismatch)) as refused:
            await log.append(key, lambda r: b"stale", number)
        assert refused.value.current == current  # type: ignore[attr-defined]
    elif what == "compact":
        revision = min(number, model.revision)
        await log.compact(revision)
        model.compacted = max(model.compacted, revision)


async def compare(log: Log, model: Model) -> None:
    assert (log.revision, log.compacted) == (model.revision, model.compacted)
    for prefix in PREFIXES:
        assert log.count(prefix) == len(await whole(log, prefix, model.revision))
        for at in range(model.compacted, model.revision + 1):
            states = [model.live(key, at) for key in sorted(KEYS) if key.startswith(prefix)]
            assert await whole(log, prefix, at) == [row for row in states if row]
            later = [r for r in model.rows if r.revision > at and r.key.startswith(prefix)]
            assert await log.changes(prefix, at, model.revision) == later
    for row in model.rows:
        assert log.get(row.key) == model.live(row.key, model.revision)
        wanted = [r for r in model.rows if r.revision == row.previous and model.kept(r)]
        assert log.previous(row) == (wanted[0] if wanted else None)


async def whole(log: Log, prefix: str, at: int) -> list[Record]:
    page = await log.list(prefix, at=at, limit=3)
    records = page.records
    while page.more:
        page = await log.list(prefix, at=at, after=records[-1].key, limit=3)
        records += page.records
    return records


async def run(path: Path, taken: list[Step]) -> None:
    model = Model()
    log = Log.open(path, TINY)
    try:
        for what, key, number in taken:
            if what == "reopen":
                await log.close()
                log = Log.open(path, TINY)
            await step(log, model, what, key, number)
        await compare(log, model)
    finally:
        await log.close()


@settings(max_examples=60)
@given(steps)
def test_the_log_remembers_as_a_plain_list_would(taken: list[Step]) -> None:
    with TemporaryDirectory() as folder:
        asyncio.run(run(Path(folder) / "kedge.db", taken))
