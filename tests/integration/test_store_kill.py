"""kill -9 under concurrent writers: what was acknowledged stays, and nothing is half done."""

import asyncio
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from kedge.store import Log, Record
from tests.integration.store_writers import content

ROUNDS = int(os.environ.get("KEDGE_KILL_ROUNDS", "4"))
PROGRAM = Path(__file__).with_name("store_writers.py")


class Ack(NamedTuple):
    revision: int
    key: str
    deleted: bool


def killed(path: Path, seed: int, after: int) -> list[Ack]:
    """Run the writers, kill them after some acknowledgements, and return all there were."""
    command = [sys.executable, str(PROGRAM), str(path), str(seed)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(after)]
        process.kill()
        lines += process.stdout.readlines()
    acks = [line.split() for line in lines if line.endswith(b"\n")]
    assert len(acks) >= after, "the program ended by itself"
    return [Ack(int(revision), key.decode(), deleted == b"1") for revision, key, deleted in acks]


def check_rows(rows: list[Record], compacted: int) -> None:
    """Each row is whole, and follows the row of its key before it."""
    newest: dict[str, Record] = {}
    assert [row.revision for row in rows] == sorted({row.revision for row in rows})
    for row in rows:
        assert row.value == content(row.key, row.revision)
        before = newest.get(row.key)
        assert row.previous == before.revision if before else row.previous <= compacted
        born = before is None or before.deleted
        assert row.created <= row.revision if born else row.created == before.created  # type: ignore[union-attr]
        newest[row.key] = row


class Witness:
    """Remembers what was promised over several lives of the log."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.known: dict[str, int | None] = {}
        """The newest revision of each key that was told; None for a deleted one."""
        self.newest = 0

    def hear(self, acks: list[Ack]) -> None:
        """Take the promises of one life, all of which are newer than those before."""
        assert min(ack.revision for ack in acks) > self.newest
        self.newest = max(ack.revision for ack in acks)
        for ack in sorted(acks):
            self.known[ack.key] = None if ack.deleted else ack.revision

    async def check(self, acks: list[Ack]) -> None:
        """Compare the promises of the last life, and the state of all, with the log."""
        async with Log.open(self.path) as log:
            rows = await log.changes("", log.compacted, log.revision)
            check_rows(rows, log.compacted)
            found = {row.revision: (row.key, row.deleted) for row in rows}
            for ack in acks:
                if ack.revision > log.compacted:
                    assert found.get(ack.revision) == (ack.key, ack.deleted), ack
            # The present is what was promised and what came last: a watch that resumes misses
            # nothing. Rows nobody was told of may be among the last, which are never compacted.
            for row in rows:
                self.known[row.key] = None if row.deleted else row.revision
            self.newest = log.revision
            present = (await log.list("")).records
            assert {r.key: r.revision for r in present} == {
                k: r for k, r in self.known.items() if r
            }
            assert all(r.value == content(r.key, r.revision) for r in present)


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_no_acknowledged_write_is_lost_and_none_is_half_done(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    witness = Witness(tmp_path / "kedge.db")
    for life in range(3):
        acks = killed(witness.path, seed * 3 + life, after=chance.randrange(1, 1500))
        witness.hear(acks)
        asyncio.run(witness.check(acks))
