"""What `kedge server` makes of the flags that no other test is about."""

from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import click
import pytest

from kedge.cli.operator import controllers
from kedge.cli.operator.settings import OperatorSettings
from kedge.cli.server import server, settings_of


def told(*arguments: str) -> OperatorSettings:
    return settings_of(server.make_context("server", list(arguments)).params)


@pytest.mark.parametrize(("arguments", "seconds"), [([], 4.0), (["--queue-position-period=9s"], 9)])
def test_positions_are_told_as_often_as_is_asked_for(
    arguments: list[str], seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = told(*arguments)
    assert settings.position_period == timedelta(seconds=seconds)
    given: dict[str, Any] = {}
    for name in ("nab", "nar"):
        part = getattr(controllers, name)
        monkeypatch.setattr(part, "add_to", lambda one, name=name: given.update({name: one}))
    for name in ("nabsl", "nadr", "nabgc", "nabsync"):
        monkeypatch.setattr(getattr(controllers, name), "add_to", lambda *_: None)
    controllers._add_self_service(SimpleNamespace(first=()), settings)  # type: ignore[arg-type]
    assert given["nab"].publishing.period_seconds == seconds
    assert given["nar"].publish_seconds == seconds


@pytest.mark.parametrize("text", ["4", "-1s", "often"])
def test_a_period_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter, match="1h30m"):
        told(f"--queue-position-period={text}")
