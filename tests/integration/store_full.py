"""A program that runs out of space and gets it back, and says `ok` if the log took it well.

Usage: store_full.py FILE limit|disk. With `limit` files may not grow; with `disk` FILE lies on a
small disk of its own, which is filled.
"""

import asyncio
import os
import resource
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from kedge.store import Log, Record, StoreFull, StoreSettings

LARGE = 10_000_000


def limit(folder: Path) -> Callable[[], None]:
    """Forbid files to grow beyond what the log has now; return what allows it again."""
    largest = max(os.path.getsize(folder / name) for name in os.listdir(folder))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest + 20_000, hard))
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def fill(folder: Path) -> Callable[[], None]:
    """Fill the disk; return what frees it again."""
    ballast = folder / "ballast"
    with ballast.open("wb", buffering=0) as file:
        with suppress(OSError):
            while file.tell() < LARGE:
                file.write(bytes(4096))
        assert file.tell() < LARGE, "this is no small disk"
    return ballast.unlink


async def exhaust(log: Log, written: dict[str, Record]) -> None:
    """Write until there is no space, then some more."""
    refused = 0
    for start in range(0, 4000, 10):
        results = await asyncio.gather(
            *(log.append(f"/a/b/{i}", lambda r: bytes(3000), 0) for i in range(start, start + 10)),
            return_exceptions=True,
        )
        for result in results:
            if isinstance(result, Record):
                written[result.key] = result
            else:
                assert isinstance(result, StoreFull), repr(result)
                assert "no space left" in str(result)
                refused += 1
        if refused > 30:
            return
    raise AssertionError("never full")


async def main(path: Path, kind: str) -> None:
    """Be full, read, recover."""
    async with Log.open(path, StoreSettings(checkpoint_pages=20)) as log:
        first = await log.append("/a/b/first", lambda r: b"x", 0)
        give_back = limit(path.parent) if kind == "limit" else fill(path.parent)
        written = {first.key: first}
        await exhaust(log, written)
        assert [r.key for r in (await log.list("")).records] == sorted(written)
        assert all(log.get(key) == record for key, record in written.items())
        give_back()
        last = await log.append("/a/b/last", lambda r: b"x", 0)
        assert last.revision > max(record.revision for record in written.values())
        written[last.key] = last
        await log.compact(log.revision)
    async with Log.open(path) as log:
        assert (await log.list("")).records == [written[key] for key in sorted(written)]
    sys.stdout.write("ok\n")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
