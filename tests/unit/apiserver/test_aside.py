import asyncio
import gc
import threading

import pytest

from kedge.apiserver.aside import BIG, Aside, Quiet


@pytest.mark.asyncio
async def test_small_work_is_done_here_and_big_work_elsewhere() -> None:
    aside = Aside()
    try:
        assert await aside(BIG - 1, threading.get_ident) == threading.get_ident()
        assert await aside(BIG, threading.get_ident) != threading.get_ident()
    finally:
        aside.close()


@pytest.mark.asyncio
async def test_others_go_on_while_big_work_is_done() -> None:
    aside, is_let_go = Aside(), threading.Event()
    try:
        async with asyncio.timeout(30), asyncio.TaskGroup() as group:
            work = group.create_task(aside(BIG, is_let_go.wait))
            assert await aside(0, lambda: "small") == "small"
            assert not work.done()
            is_let_go.set()
        assert work.result()
    finally:
        aside.close()


@pytest.mark.asyncio
@pytest.mark.parametrize("weight", [0, BIG])
async def test_an_error_of_the_work_is_an_error_of_the_caller(weight: int) -> None:
    aside = Aside()
    try:
        with pytest.raises(ValueError, match="no number"):
            await aside(weight, _fail, "no number")
    finally:
        aside.close()


def _fail(text: str) -> None:
    raise ValueError(text)


def test_cycles_are_not_searched_for_while_any_big_request_is_under_way() -> None:
    quiet = Quiet()
    assert gc.isenabled()
    with quiet.during(BIG - 1):
        assert gc.isenabled()
    with quiet.during(BIG):
        with quiet.during(BIG):
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_a_process_without_such_searches_stays_without() -> None:
    gc.disable()
    try:
        with Quiet().during(BIG):
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
