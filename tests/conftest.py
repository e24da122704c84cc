"""Fixtures that every tier may ask for; how a run is shared out, and what is kept of it."""

import gc
import signal
from collections.abc import Generator

import pytest
from xdist.remote import Producer

from tests.real_cluster.fixture import real_cluster as real_cluster
from tests.sharing import Sharing

END = "kedge/end"
"""The name in pytest's cache of how the last run ended: its exit code, or nothing if it broke."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Sharing | None:
    """Let files be shared out our way; other ways to distribute stay pytest-xdist's."""
    if config.getvalue("dist") != "loadfile":
        return None
    config.option.loadscopereorder = False
    return Sharing(config, log)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Forget how the last run ended; let the programs that tests start hear Ctrl-C."""
    _keep(session.config, None)
    # A shell has what runs in its background ignore Ctrl-C, which would be handed on to them.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep what is collected from the search for garbage: it is much, and stays to the end.

    Each search through it would take a third of a second, and there are hundreds.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Keep how this run ended, for tools/again.py."""
    _keep(session.config, int(exitstatus))


def _keep(config: pytest.Config, end: int | None) -> None:
    # The cache can be switched off, and is not for one of several processes to write to.
    cache: pytest.Cache | None = getattr(config, "cache", None)
    if cache is not None and not hasattr(config, "workerinput"):
        cache.set(END, end)
