"""What `kedge server` makes of the flags that no other test is about."""

from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest

from kedge.cli.operator import controllers
from kedge.cli.operator.settings import OperatorSettings
from kedge.cli.server import server, settings_of
from kedge.cli.up.command import plan_of, up


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


@pytest.mark.parametrize(
    ("arguments", "skips", "leads"),
    [
        ([], False, True),
        (["--schedule-skip-immediately=true", "--leader-elect=true"], True, True),
        (["--schedule-skip-immediately=false", "--leader-elect=false"], False, False),
        (["--schedule-skip-immediately", "--no-leader-elect"], True, False),
    ],
)
def test_a_switch_is_written_as_others_write_it(
    arguments: list[str], skips: bool, leads: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEDGE_RESTORE_ONLY", "true")
    settings = told(*arguments, "--restore-only=false")
    assert settings.schedules.skip_immediately is skips
    assert (settings.leader is not None) is leads
    assert "gc" not in settings.disabled
    with pytest.raises(click.UsageError, match="--restore-only"):
        told("--restore-only=maybe")


def test_controllers_are_disabled_by_each_flag_that_names_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert told(
        "--disable-controllers=gc", "--disable-controllers", "schedule,backup"
    ).disabled == {
        "backup",
        "gc",
        "schedule",
    }
    monkeypatch.setenv("KEDGE_DISABLE_CONTROLLERS", "gc, schedule")
    assert told().disabled == {"gc", "schedule"}


def test_the_namespace_is_that_of_the_variables_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VELERO_NAMESPACE", "theirs")
    assert told().namespace == "theirs"
    monkeypatch.setenv("KEDGE_NAMESPACE", "ours")
    assert told().namespace == "ours"
    assert told("-n=said").namespace == "said"


@pytest.mark.parametrize(
    ("arguments", "skips"),
    [
        ([], False),
        (["--schedule-skip-immediately"], True),
        (["--schedule-skip-immediately=true"], True),
        (["--schedule-skip-immediately=false"], False),
    ],
)
def test_so_it_is_with_everything_in_one_process(
    arguments: list[str], skips: bool, tmp_path: Path
) -> None:
    plan = plan_of(up.make_context("up", arguments).params, tmp_path)
    assert plan.operator.schedules.skip_immediately is skips
