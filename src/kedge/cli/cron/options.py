"""The arguments and options that the cron commands share."""

from __future__ import annotations

from collections.abc import Callable
from datetime import tzinfo
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from kedge.cli.flags import FlagCommand
from kedge.cli.instants import read_instant

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from kedge.cron import Schedule

Callback = Callable[..., None]

LOCAL_TIME = "Without an offset it is local time in the schedule's zone."


class Given(NamedTuple):
    """A schedule, and the words in which it was asked for."""

    expression: str
    schedule: Schedule
    zone: tzinfo


class CronCommand(FlagCommand):
    """A command that takes an expression, and knows why there may be too many arguments."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse; where words are left over, add the likely reason to the error."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as exc:
            if type(exc) is not click.UsageError:  # the kinds that click can name are clear
                raise
            message = f"put the expression in quotes: {exc.message[:1].lower()}{exc.message[1:]}"
            raise click.UsageError(message, ctx) from exc


def _complete_zone(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    from importlib.resources import files

    from click.shell_completion import CompletionItem

    names = files("tzdata").joinpath("zones").read_text("utf-8").split()
    return [CompletionItem(n) for n in names if n.lower().startswith(incomplete.lower())]


expression_argument = click.argument("expression", metavar="EXPR")
zone_option = click.option(
    "--zone",
    metavar="ZONE",
    shell_complete=_complete_zone,
    help="Time zone where EXPR names none, such as Europe/Amsterdam.  [default: UTC]",
)
dst_option = click.option(
    "--dst",
    type=click.Choice(["wall", "once"]),
    default="wall",
    show_default=True,
    help="When clocks change: follow the clock on the wall, or run once a day all the same.",
)
count_option = click.option(
    "--count",
    type=click.IntRange(1, 100_000),
    default=5,
    show_default=True,
    metavar="N",
    help="How many to list.",
)


def instant_option(name: str, text: str, **attrs: Any) -> Callable[[Callback], Callback]:
    """Make an option that takes a time."""
    return click.option(
        name, callback=read_instant, metavar="TIME", help=f"{text} {LOCAL_TIME}", **attrs
    )


after_option = instant_option("--after", "Start after this time.", default="now", show_default=True)


def schedule_arguments(callback: Callback) -> Callback:
    """Add EXPR, --zone and --dst, and hand them over as one `Given`."""

    @expression_argument
    @zone_option
    @dst_option
    @wraps(callback)
    def parsed(expression: str, zone: str | None, dst: str, **rest: Any) -> None:
        callback(_given(expression, zone, dst), **rest)

    return parsed


def _given(expression: str, zone: str | None, dst: str) -> Given:
    from kedge.cron import CronError, parse
    from kedge.cron.zones import load

    try:
        schedule = parse(expression, zone=zone, dst=dst)
    except CronError as exc:
        raise click.ClickException(str(exc)) from exc
    return Given(expression, schedule, load(schedule.zone).info)
