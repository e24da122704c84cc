import asyncio
import logging

import pytest

from kedge.runtime.context import WorkFilter, current, reconciling


def filtered(**extra: str) -> dict[str, object]:
    record = logging.makeLogRecord({"msg": "m", **extra})
    assert WorkFilter().filter(record)
    return vars(record)


def test_a_record_tells_what_is_worked_on() -> None:
    with reconciling("boats", "sea/boat") as work:
        facts = filtered()
    assert facts["controller"] == "boats"
    assert facts["object"] == "sea/boat"
    assert facts["reconcile_id"] == work.reconcile_id


def test_outside_of_work_nothing_is_added() -> None:
    assert current() is None
    assert "controller" not in filtered()


def test_what_a_record_tells_itself_stays() -> None:
    with reconciling("boats", "sea/boat"):
        assert filtered(object="sea/other")["object"] == "sea/other"


def test_each_reconcile_has_its_own_number() -> None:
    with reconciling("boats", "sea/boat") as first:
        pass
    with reconciling("boats", "sea/boat") as second:
        pass
    assert first.reconcile_id != second.reconcile_id


def test_it_ends_with_the_block_even_if_that_fails() -> None:
    def fail() -> None:
        with reconciling("boats", "sea/boat"):
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert current() is None


@pytest.mark.asyncio
async def test_tasks_do_not_see_each_others_work() -> None:
    seen: dict[str, str] = {}
    both = asyncio.Barrier(2)

    async def work(name: str) -> None:
        with reconciling("boats", name):
            await both.wait()
            found = current()
            assert found is not None
            seen[name] = found.object
            await both.wait()

    async with asyncio.TaskGroup() as group:
        group.create_task(work("a"))
        group.create_task(work("b"))
    assert seen == {"a": "a", "b": "b"}


@pytest.mark.asyncio
async def test_a_task_inherits_the_work_that_started_it() -> None:
    async def look() -> str:
        found = current()
        return found.object if found else ""

    with reconciling("boats", "sea/boat"):
        async with asyncio.TaskGroup() as group:
            task = group.create_task(look())
    assert task.result() == "sea/boat"
