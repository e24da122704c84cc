import asyncio
from datetime import timedelta

import pytest

from kedge.client import Disconnected, Request, Unreachable
from kedge.kube.errors import not_found
from kedge.kube.times import format_micro_time
from kedge.runtime.leader import LeaseLost, NotLeader
from kedge.runtime.lease import Record, read, write
from tests.unit.runtime.candidates import Runner, race

WRITE = Request("POST", "/api/v1/things")
CUT = Unreachable("the wire is cut")


def leading(*runners: Runner) -> list[bool]:
    return [runner.leader.is_leading for runner in runners]


@pytest.mark.asyncio
async def test_the_first_makes_the_lease_and_leads() -> None:
    async with race() as run:
        stamp = format_micro_time(run.clock.now())
        a = run.join("a")
        await a.leader.led()
        assert run.place.record == Record("a", 15, stamp, stamp, 0)
        assert (a.leader.holder, a.leader.term, a.reports) == ("a", 0, [False, True])


@pytest.mark.asyncio
async def test_the_leader_renews_and_the_others_wait() -> None:
    async with race() as run:
        a = run.join("a")
        await run.settle()
        b = run.join("b")
        acquired = run.place.record.acquired
        await run.wait(60)
        assert leading(a, b) == [True, False]
        assert run.place.record.acquired == acquired
        assert run.place.record.transitions == 0
        renewed = [record.renewed for record in run.place.log]
        assert len(renewed) == 31
        assert len(set(renewed)) == 31


@pytest.mark.asyncio
async def test_of_several_at_once_one_leads() -> None:
    async with race() as run:
        all_of_them = [run.join(name) for name in "abcde"]
        await run.wait(30)
        assert sum(leading(*all_of_them)) == 1


@pytest.mark.asyncio
async def test_a_leader_that_is_cut_off_stops_before_another_begins() -> None:
    async with race() as run:
        a = run.join("a")
        await run.settle()
        b = run.join("b")
        await run.wait(5)
        a.line.fault = CUT
        seen = []
        for _ in range(200):
            await run.wait(0.1)
            seen.append((a.leader.is_leading, b.leader.is_leading))
        assert (True, True) not in seen
        gap = seen.index((False, True)) - seen.index((False, False))
        assert 45 <= gap <= 75  # of the margin, 5 s, and a look every 2 s and a little
        assert isinstance(a.failure, LeaseLost)
        assert "not renewed in time" in str(a.failure)
        assert a.reports == [False, True, False]
        assert not a.leader.leading.is_set()
        assert run.place.record.transitions == 1


@pytest.mark.asyncio
async def test_another_leads_within_the_lease_and_one_look() -> None:
    async with race() as run:
        a = run.join("a")
        await run.settle()
        b = run.join("b")
        await run.wait(4)
        assert a.task is not None
        a.task.cancel()
        last = run.clock.monotonic()
        while not b.leader.is_leading:
            await run.wait(0.1)
        assert run.clock.monotonic() - last <= 15 + 2.4


@pytest.mark.asyncio
async def test_a_renewal_that_hangs_does_not_keep_the_leader_leading() -> None:
    async with race() as run:
        a = run.join("a")
        await run.wait(3)
        a.line.hanging.clear()
        await run.wait(9.5)
        assert isinstance(a.failure, LeaseLost)


@pytest.mark.asyncio
async def test_a_short_outage_changes_nothing() -> None:
    async with race() as run:
        a = run.join("a")
        await run.settle()
        b = run.join("b")
        await run.wait(3)
        a.line.fault = CUT
        await run.wait(7)
        a.line.fault = None
        await run.wait(30)
        assert leading(a, b) == [True, False]
        assert a.reports == [False, True]
        assert run.place.record.transitions == 0


@pytest.mark.asyncio
async def test_a_leader_that_slept_does_not_lead_when_it_wakes() -> None:
    async with race() as run:
        a = run.join("a")
        await run.wait(3)
        run.clock.advance(timedelta(seconds=60))
        assert not a.leader.is_leading
        await run.settle()
        assert isinstance(a.failure, LeaseLost)
        assert len(run.place.log) == 2


@pytest.mark.asyncio
async def test_a_wall_clock_that_is_set_changes_nothing() -> None:
    async with race() as run:
        a = run.join("a")
        await run.settle()
        b = run.join("b")
        await run.wait(3)
        run.clock.set_back(timedelta(days=400))
        await run.wait(30)
        assert leading(a, b) == [True, False]


@pytest.mark.asyncio
async def test_times_of_another_machine_are_not_compared() -> None:
    async with race() as run:
        future = "2100-01-01T00:00:00.000000Z"
        obj = {"metadata": {"name": "boat", "namespace": "sea"}}
        run.place.put(write(obj, Record("x", 15, future, future, 7)), is_new=True)
        b = run.join("b")
        await run.wait(14.5)
        assert leading(b) == [False]
        await run.wait(1)
        assert leading(b) == [True]
        assert b.leader.term == 8


@pytest.mark.asyncio
async def test_an_answer_that_was_lost_does_not_cost_the_lead() -> None:
    async with race() as run:
        a = run.join("a")
        a.line.lost_answers = 1
        await run.wait(3)
        assert a.leader.is_leading
        a.line.lost_answers = 1
        await run.wait(30)
        assert a.leader.is_leading
        assert run.place.record.transitions == 0


@pytest.mark.asyncio
async def test_a_lease_that_was_taken_away_is_lost_at_the_next_renewal() -> None:
    async with race() as run:
        a = run.join("a")
        await run.wait(1)
        assert run.place.obj is not None
        record = read(run.place.obj).record
        stolen = write(run.place.obj, Record("thief", 15, record.acquired, record.renewed, 1))
        run.place.put(stolen, is_new=False)
        await run.wait(2)
        assert isinstance(a.failure, LeaseLost)
        assert "'thief' has it" in str(a.failure)
        assert a.leader.holder == "thief"


@pytest.mark.asyncio
async def test_a_lease_that_was_deleted_is_made_again_by_its_holder() -> None:
    async with race() as run:
        a = run.join("a")
        await run.settle()
        b = run.join("b")
        await run.wait(3)
        run.place.obj = None
        await run.wait(30)
        assert leading(a, b) == [True, False]


@pytest.mark.asyncio
async def test_a_lease_that_somebody_labels_is_renewed_all_the_same() -> None:
    async with race() as run:
        a = run.join("a")
        for _ in range(5):
            await run.wait(3)
            assert run.place.obj is not None
            meta = {**run.place.obj["metadata"], "labels": {"a": "b"}}
            run.place.put({**run.place.obj, "metadata": meta}, is_new=False)
        await run.wait(30)
        assert a.leader.is_leading
        assert run.place.obj is not None
        assert run.place.obj["metadata"]["labels"] == {"a": "b"}


@pytest.mark.asyncio
async def test_two_processes_of_one_identity_do_not_lead_both() -> None:
    async with race() as run:
        a = run.join("same")
        await run.settle()
        b = run.join("same")
        await run.wait(60)
        assert leading(a, b) == [True, False]


@pytest.mark.asyncio
async def test_a_released_lease_is_taken_at_the_next_look() -> None:
    async with race() as run:
        a = run.join("a")
        await run.settle()
        b = run.join("b")
        await run.wait(4)
        await a.leader.release()
        assert leading(a) == [False]
        record = run.place.record
        assert (record.holder, record.seconds, record.transitions) == ("", 1, 0)
        await run.wait(2.5)
        assert leading(a, b) == [False, True]
        assert a.has_ended
        assert a.failure is None
        assert a.reports == [False, True, False]


@pytest.mark.asyncio
async def test_a_release_that_fails_is_no_failure() -> None:
    async with race() as run:
        a = run.join("a")
        await run.wait(1)
        a.line.fault = CUT
        await a.leader.release()
        assert not a.leader.is_leading
        assert run.place.record.holder == "a"


@pytest.mark.asyncio
async def test_a_lease_is_left_to_run_out_while_a_write_may_still_be_done() -> None:
    async with race() as run:
        a = run.join("a")
        await run.wait(1)
        with pytest.raises(Disconnected), a.leader.guard(WRITE):
            raise Disconnected("no answer")
        await a.leader.release()
        assert run.place.record.holder == "a"
        with pytest.raises(NotLeader), a.leader.guard(WRITE):
            pass


@pytest.mark.asyncio
async def test_a_lease_is_released_when_all_writes_were_answered() -> None:
    async with race() as run:
        a = run.join("a")
        await run.wait(1)
        with a.leader.guard(WRITE):
            pass
        await a.leader.release()
        assert run.place.record.holder == ""


@pytest.mark.asyncio
async def test_who_does_not_lead_releases_nothing() -> None:
    async with race() as run:
        a = run.join("a")
        await run.settle()
        b = run.join("b")
        await run.wait(3)
        await b.leader.release()
        assert run.place.record.holder == "a"
        assert leading(a) == [True]


@pytest.mark.asyncio
async def test_a_release_finds_the_lease_though_it_was_labelled() -> None:
    async with race() as run:
        a = run.join("a")
        await run.wait(1)
        assert run.place.obj is not None
        meta = {**run.place.obj["metadata"], "labels": {"a": "b"}}
        run.place.put({**run.place.obj, "metadata": meta}, is_new=False)
        await a.leader.release()
        assert run.place.record.holder == ""


@pytest.mark.asyncio
async def test_a_namespace_that_is_not_there_is_told_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with race() as run:
        a = run.join("a")

        async def refuse(record: Record) -> None:
            raise not_found("", "namespaces", "sea")

        a.line.create = refuse  # type: ignore[method-assign,assignment]
        await run.wait(10)
        assert not a.has_ended
    told = [record for record in caplog.records if record.levelname == "WARNING"]
    assert [record.message for record in told] == ["the lease can not be reached"]
    assert vars(told[0])["error"] == 'namespaces "sea" not found'


@pytest.mark.asyncio
async def test_every_leader_has_a_later_term() -> None:
    async with race() as run:
        terms = []
        for name in "abc":
            runner = run.join(name)
            await run.wait(20)
            terms.append(runner.leader.term)
            runner.line.fault = CUT
        assert terms == sorted(set(terms))
        assert terms == [0, 1, 2]


@pytest.mark.asyncio
async def test_cancelled_it_only_ceases_to_renew() -> None:
    async with race() as run:
        a = run.join("a")
        await run.wait(1)
        assert a.task is not None
        a.task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await a.task
        assert a.leader.is_leading
        assert run.place.record.holder == "a"
        run.clock.advance(timedelta(seconds=10))
        assert not a.leader.is_leading
