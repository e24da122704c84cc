import asyncio

import pytest

from kedge.aio.broadcast import Broadcast, Closed, Limit, Overflow


def words(limit: int = 10) -> Broadcast[str]:
    return Broadcast(str, Limit(limit))


@pytest.mark.asyncio
async def test_an_inbox_gets_the_items_of_its_prefix_in_order_and_once() -> None:
    broadcast = words()
    inbox = broadcast.subscribe("/a/")
    broadcast.publish(["/a/2", "/b/1", "/a/1", "/a", "/a/x/1"])
    assert await inbox.next_batch() == ["/a/2", "/a/1", "/a/x/1"]
    assert inbox.first() is None


@pytest.mark.asyncio
async def test_a_waiting_reader_is_woken_with_all_that_came() -> None:
    broadcast = words()
    inbox = broadcast.subscribe("")
    reading = asyncio.ensure_future(inbox.next_batch())
    await asyncio.wait([reading], timeout=0)
    broadcast.publish(["x"])
    broadcast.publish(["y"])
    assert await reading == ["x", "y"]


@pytest.mark.asyncio
async def test_a_full_inbox_ends_and_frees_its_items_and_others_go_on() -> None:
    broadcast = words(limit=2)
    slow, quick = broadcast.subscribe("/a/"), broadcast.subscribe("/a/")
    for item in ("/a/1", "/a/2", "/a/3"):
        broadcast.publish([item])
        assert await quick.next_batch() == [item]
    assert slow.first() is None
    with pytest.raises(Overflow):
        await slow.next_batch()
    slow.close()
    with pytest.raises(Overflow):
        slow.check()


@pytest.mark.asyncio
async def test_an_inbox_may_not_grow_too_heavy_and_takes_any_single_item() -> None:
    broadcast: Broadcast[str] = Broadcast(str, Limit(10, weight=8), len)
    slow, quick = broadcast.subscribe("/a/"), broadcast.subscribe("/a/")
    for item in ("/a/a-long-one", "/a/1", "/a/2"):
        broadcast.publish([item])
        assert await quick.next_batch() == [item]
    with pytest.raises(Overflow):
        await slow.next_batch()


@pytest.mark.asyncio
async def test_a_closed_inbox_gets_nothing_and_says_so() -> None:
    broadcast = words()
    inbox, other = broadcast.subscribe("/a/"), broadcast.subscribe("/a/")
    inbox.close()
    inbox.close()
    broadcast.publish(["/a/1"])
    with pytest.raises(Closed):
        await inbox.next_batch()
    assert await other.next_batch() == ["/a/1"]
    broadcast.close()
    with pytest.raises(Closed):
        await other.next_batch()


@pytest.mark.asyncio
async def test_an_inbox_has_one_reader_at_a_time_and_a_cancelled_one_makes_room() -> None:
    broadcast = words()
    inbox = broadcast.subscribe("")
    first = asyncio.ensure_future(inbox.next_batch())
    await asyncio.wait([first], timeout=0)
    with pytest.raises(RuntimeError, match="one reader"):
        await inbox.next_batch()
    first.cancel()
    await asyncio.wait([first])
    broadcast.publish(["x"])
    assert await inbox.next_batch() == ["x"]


@pytest.mark.asyncio
async def test_items_that_come_while_a_reader_is_cancelled_are_kept() -> None:
    broadcast = words()
    inbox = broadcast.subscribe("")
    reading = asyncio.ensure_future(inbox.next_batch())
    await asyncio.wait([reading], timeout=0)
    broadcast.publish(["x"])
    reading.cancel()
    await asyncio.wait([reading])
    assert reading.cancelled()
    broadcast.publish(["y"])
    assert await inbox.next_batch() == ["x", "y"]


def test_readers_of_other_folders_are_not_looked_at() -> None:
    class Counted(str):
        asked = 0

        def startswith(self, *args: object) -> bool:
            Counted.asked += 1
            return super().startswith(*args)  # type: ignore[arg-type]

    broadcast: Broadcast[Counted] = Broadcast(lambda item: item, Limit(10))
    for i in range(100):
        broadcast.subscribe(f"/apps/kind{i}/")
    broadcast.subscribe("/core/pods/")
    broadcast.publish([Counted("/core/pods/ns/1")])
    assert Counted.asked == 1
