import asyncio
from collections.abc import Callable
from contextlib import aclosing
from typing import Any, cast

import msgspec
import pytest

from kedge.aio.turn import turn
from kedge.client import Client
from kedge.client.errors import Disconnected
from kedge.client.requests import Selection
from kedge.client.responses import Page
from kedge.engine.backup.bound import Bound
from kedge.engine.backup.listing import (
    FIRST_PAGE,
    LONG,
    LONG_PAGE,
    PAGE_BYTES,
    RESTARTS,
    Lister,
    Query,
)
from kedge.kube.errors import ApiError, Expired, Forbidden
from kedge.kube.kind import Kind
from tests.unit.engine.backup.served import CONFIGS

Answer = Callable[[int], Exception | None]
QUERY = Query(CONFIGS, "db", "a=b")


class Pager:
    """A list of numbers, read page by page; the n-th request may fail."""

    def __init__(self, count: int, fail: Answer = lambda _: None, size: int = 10) -> None:
        self.items = [msgspec.Raw(b"%0*d" % (size, number)) for number in range(count)]
        self.fail = fail
        self.asked: list[tuple[int, int]] = []
        self.versions: list[str] = []
        self.remaining: Callable[[int], int | None] = lambda _: None

    async def page(
        self, kind: Kind[Any], selection: Selection, size: int, token: str = "", version: str = ""
    ) -> Page[msgspec.Raw]:
        assert selection == Selection("db", "a=b")
        assert kind == CONFIGS.kind.raw
        start = int(token or 0)
        self.asked.append((start, size))
        self.versions.append(version)
        failure = self.fail(len(self.asked))
        if failure is not None:
            raise failure
        end = start + size if size else len(self.items)
        more = str(end) if end < len(self.items) else ""
        return Page(self.items[start:end], "1", more, self.remaining(len(self.items) - end))


async def read(pager: Pager, page_size: int = 500, bound: Bound | None = None) -> list[int]:
    found: list[int] = []
    async with asyncio.TaskGroup() as group:
        lister = Lister(cast("Client", pager), page_size, group, bound)
        async with aclosing(lister.pages(QUERY)) as pages:
            async for page in pages:
                found += [int(bytes(raw)[-9:]) for raw in page.items]
    return found


@pytest.mark.asyncio
async def test_all_pages_are_read_in_order() -> None:
    pager = Pager(1800)
    assert await read(pager) == list(range(1800))
    assert [size for _, size in pager.asked] == [FIRST_PAGE, 500, 500, 500, 500]


@pytest.mark.asyncio
async def test_pages_of_large_objects_are_small() -> None:
    pager = Pager(FIRST_PAGE + 12, size=PAGE_BYTES // 4)
    await read(pager)
    assert {size for _, size in pager.asked[1:]} == {3}
    pager = Pager(3, size=2 * PAGE_BYTES)
    assert await read(pager, page_size=2) == [0, 1, 2]
    assert pager.asked == [(0, 2), (2, 1)]


@pytest.mark.asyncio
async def test_pages_of_long_lists_are_larger_until_the_list_is_long_no_more() -> None:
    pager = Pager(FIRST_PAGE + 10 * (LONG + 6))
    pager.remaining = lambda left: max(left, 0)
    assert await read(pager, page_size=10) == list(range(len(pager.items)))
    sizes = [size for _, size in pager.asked]
    assert sizes[:3] == [10, 10 * LONG_PAGE, 10 * LONG_PAGE]
    assert sizes[-LONG:] == [10] * LONG


@pytest.mark.asyncio
async def test_pages_of_long_lists_of_large_objects_are_small() -> None:
    pager = Pager(3 * (LONG + 2), size=PAGE_BYTES // 4)
    pager.remaining = lambda left: max(left, 0)
    await read(pager, page_size=3)
    assert {size for _, size in pager.asked} == {3}


@pytest.mark.asyncio
async def test_a_page_size_of_zero_is_all_in_one() -> None:
    pager = Pager(1800)
    assert await read(pager, page_size=0) == list(range(1800))
    assert pager.asked == [(0, 0)]


@pytest.mark.asyncio
async def test_a_page_size_below_that_of_the_first_page_counts() -> None:
    pager = Pager(25)
    assert await read(pager, page_size=10) == list(range(25))
    assert pager.asked == [(0, 10), (10, 10), (20, 10)]


def expired(token: str) -> ApiError:
    status = {"reason": "Expired", "code": 410, "metadata": {"continue": token}}
    return ApiError.from_status(status)


@pytest.mark.asyncio
async def test_a_list_that_took_too_long_is_begun_again() -> None:
    pager = Pager(300, lambda n: expired("200") if n == 3 else None)
    found = await read(pager, page_size=100)
    assert found == [*range(FIRST_PAGE + 100), *range(300)]


@pytest.mark.asyncio
async def test_a_list_that_always_takes_too_long_goes_on_from_where_it_is() -> None:
    failing = {2: expired("32"), 4: expired("32")}
    pager = Pager(250, lambda n: failing.get(n))
    found = await read(pager, page_size=100)
    assert [start for start, _ in pager.asked] == [0, 32, 0, 32, 32, 64, 164]
    assert set(found) == set(range(250))


@pytest.mark.asyncio
async def test_a_list_that_never_comes_to_its_end_is_given_up() -> None:
    pager = Pager(250, lambda n: Expired("too old") if n > 1 and n % 2 == 0 else None)
    with pytest.raises(ExceptionGroup) as raised:
        await read(pager, page_size=100)
    assert raised.group_contains(Expired)
    assert len(pager.asked) == 2 * (RESTARTS + 1)


@pytest.mark.parametrize("failure", [Forbidden("no"), Disconnected("lost")])
@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.asyncio
async def test_other_failures_end_a_list(failure: Exception, number: int) -> None:
    pager = Pager(250, lambda n: failure if n == number else None)
    with pytest.raises(ExceptionGroup) as raised:
        await read(pager, page_size=100)
    assert raised.group_contains(type(failure))


@pytest.mark.asyncio
async def test_the_next_page_is_asked_for_before_the_present_one_is_done() -> None:
    pager = Pager(250)
    async with asyncio.TaskGroup() as group:
        lister = Lister(cast("Client", pager), 100, group)
        async with aclosing(lister.pages(QUERY)) as pages:
            async for _ in pages:
                await turn()
                assert len(pager.asked) == 2
                break


@pytest.mark.asyncio
async def test_a_page_that_was_asked_for_early_is_given_in_its_turn() -> None:
    pager, found = Pager(250), []
    async with asyncio.TaskGroup() as group:
        lister = Lister(cast("Client", pager), 100, group)
        first = await lister.page(QUERY, lister.first_size())
        lister.read_ahead(QUERY, first)
        lister.read_ahead(QUERY, first)
        await turn()
        assert [start for start, _ in pager.asked] == [0, FIRST_PAGE]
        async with aclosing(lister.pages(QUERY, first)) as pages:
            async for page in pages:
                found += [int(bytes(raw)) for raw in page.items]
    assert found == list(range(250))
    assert [start for start, _ in pager.asked] == [0, FIRST_PAGE, FIRST_PAGE + 100, 232]


@pytest.mark.asyncio
async def test_a_page_that_was_asked_for_early_may_have_come_too_late() -> None:
    pager = Pager(100, lambda n: expired("32") if n == 2 else None)
    async with asyncio.TaskGroup() as group:
        lister = Lister(cast("Client", pager), 100, group)
        first = await lister.page(QUERY, lister.first_size())
        lister.read_ahead(QUERY, first)
        async with aclosing(lister.pages(QUERY, first)) as pages:
            found = [int(bytes(raw)) async for page in pages for raw in page.items]
    assert found == [*range(FIRST_PAGE), *range(100)]


@pytest.mark.asyncio
async def test_a_first_page_need_not_be_newer_than_its_bound() -> None:
    bound, pager = Bound("40", {"configmaps"}), Pager(100)
    assert await read(pager, bound=bound) == list(range(100))
    assert pager.versions == ["40", ""]
    assert bound.seen == {"configmaps": {"1"}}


@pytest.mark.asyncio
async def test_of_a_kind_that_may_be_in_another_store_lists_are_exact() -> None:
    bound, pager = Bound("40", {"secrets"}), Pager(1)
    await read(pager, bound=bound)
    assert pager.versions == [""]
    assert bound.seen == {"configmaps": {"1"}}


@pytest.mark.asyncio
async def test_a_list_whose_bound_is_refused_is_exact() -> None:
    unknown = ApiError.from_status({"code": 504, "message": "Too large resource version"})
    bound = Bound("40", {"configmaps"})
    pager = Pager(3, lambda number: unknown if number == 1 else None)
    assert await read(pager, bound=bound) == [0, 1, 2]
    assert pager.versions == ["40", ""]
    assert bound.of("configmaps") == ""
