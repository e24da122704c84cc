"""A damaged file: it is named, with advice, and nothing false is read from it."""

import asyncio
import random
from pathlib import Path

import pytest

from kedge.store import Log, Record, StoreCorrupt, StoreSettings

PAGE = 4096
UNCHECKED = StoreSettings(check_bytes=0)


async def filled(path: Path) -> list[Record]:
    async with Log.open(path) as log:
        return await asyncio.gather(
            *(log.append(f"/a/b/{i:04}", lambda r: bytes(2000), 0) for i in range(500))
        )


def damage(path: Path) -> None:
    """Overwrite every page but the first, which says what the file is."""
    chance = random.Random(1)
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(PAGE)
        file.write(chance.randbytes(size - PAGE))


@pytest.mark.asyncio
async def test_a_damaged_file_is_refused_when_it_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "kedge.db"
    await filled(path)
    damage(path)
    with pytest.raises(StoreCorrupt, match=r"kedge\.db is damaged .*put back a backup"):
        Log.open(path)


@pytest.mark.asyncio
async def test_a_damaged_file_that_is_too_large_to_check_is_let_go(tmp_path: Path) -> None:
    path = tmp_path / "kedge.db"
    await filled(path)
    damage(path)
    for _ in range(2):  # the second time it would be locked if the first had kept it
        with pytest.raises(StoreCorrupt, match="damaged"):
            Log.open(path, UNCHECKED)


@pytest.mark.asyncio
async def test_a_file_cut_short_is_refused_when_it_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "kedge.db"
    await filled(path)
    with path.open("r+b") as file:
        file.truncate(50 * PAGE)
    with pytest.raises(StoreCorrupt, match="damaged"):
        Log.open(path)


@pytest.mark.asyncio
async def test_damage_in_one_place_is_found_where_it_is_read_or_written(tmp_path: Path) -> None:
    path = tmp_path / "kedge.db"
    records = await filled(path)
    with path.open("r+b") as file:  # the rows lie in the order of their revisions
        file.seek(path.stat().st_size // 2)
        file.write(bytes(20 * PAGE))
    async with Log.open(path, UNCHECKED) as log:
        found = 0
        for record in records:
            try:
                assert log.get(record.key) == record
            except StoreCorrupt:
                found += 1
        assert 0 < found < len(records)
        with pytest.raises(StoreCorrupt, match=str(path)):
            await log.list("")


@pytest.mark.asyncio
async def test_a_damaged_file_tells_its_writers(tmp_path: Path) -> None:
    path = tmp_path / "kedge.db"
    await filled(path)
    async with Log.open(path, UNCHECKED) as log:
        damage(path)
        results = await asyncio.gather(
            *(log.append(f"/a/c/{i}", lambda r: b"x", 0) for i in range(10)),
            return_exceptions=True,
        )
        assert all(isinstance(result, StoreCorrupt) for result in results), results
