from collections.abc import AsyncIterator

import msgspec
import pytest
import pytest_asyncio

from kedge.apiserver.verbs.labels import Labels
from kedge.store import Log, StoreSettings

PREFIX = "/core/configmaps/"


@pytest_asyncio.fixture
async def log() -> AsyncIterator[Log]:
    async with Log.open(":memory:", StoreSettings(subscriber_records=10)) as opened:
        yield opened


async def write(log: Log, key: str, **labels: str) -> None:
    value = msgspec.json.encode({"metadata": {"labels": labels}})
    record = log.get(PREFIX + key)
    await log.append(PREFIX + key, lambda revision: value, record.revision if record else 0)


def wants(**wanted: str) -> "object":
    return lambda labels: all(labels.get(name) == value for name, value in wanted.items())


async def found(labels: Labels, scope: str = PREFIX, **wanted: str) -> list[str] | None:
    keys = await labels.find(PREFIX, scope, wants(**wanted))  # type: ignore[arg-type]
    return None if keys is None else [key.removeprefix(PREFIX) for key in keys]


@pytest.mark.asyncio
async def test_objects_are_found_by_label_in_the_order_of_their_keys(log: Log) -> None:
    for name in ("a/3", "a/1", "b/2"):
        await write(log, name, app="web")
    for name in ("a/4", "a/5", "b/6", "b/7"):
        await write(log, name, app="db")
    labels = Labels(log)
    assert await found(labels, app="web") == ["a/1", "a/3", "b/2"]
    assert await found(labels, PREFIX + "a/", app="web") == ["a/1", "a/3"]


@pytest.mark.asyncio
async def test_later_writes_are_seen(log: Log) -> None:
    for number in range(4):
        await write(log, f"a/{number}", app="db")
    labels = Labels(log)
    assert await found(labels, app="web") == []
    await write(log, "a/1", app="web")
    assert await found(labels, app="web") == ["a/1"]
    record = log.get(PREFIX + "a/1")
    assert record is not None
    await log.delete(record.key, lambda revision: record.value, record.revision)
    assert await found(labels, app="web") == []


@pytest.mark.asyncio
async def test_when_most_objects_match_all_are_to_be_read(log: Log) -> None:
    for number in range(4):
        await write(log, f"a/{number}", app="web")
    assert await found(Labels(log), app="web") is None


@pytest.mark.asyncio
async def test_more_writes_than_the_index_follows_are_learnt_anew(log: Log) -> None:
    for number in range(4):
        await write(log, f"a/{number}", app="db")
    labels = Labels(log)
    assert await found(labels, app="web") == []
    for number in range(30):
        await write(log, f"b/{number:02}", app="web" if number == 7 else "db")
    assert await found(labels, app="web") == ["b/07"]


@pytest.mark.asyncio
async def test_rows_are_read_as_of_a_revision(log: Log) -> None:
    await write(log, "a/1", app="web")
    revision = log.revision
    await write(log, "a/1", app="db")
    (record,) = await Labels(log).read([PREFIX + "a/1", PREFIX + "a/2"], revision)
    assert b"web" in record.value
