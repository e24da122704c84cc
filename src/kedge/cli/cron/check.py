"""`kedge cron check`: is an expression valid, and if not, where is it wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kedge.cli.cron.carets import point_at
from kedge.cli.cron.options import CronCommand, expression_argument, zone_option
from kedge.cli.errors import complain
from kedge.cli.output import output_option, show

if TYPE_CHECKING:
    from kedge.cron import CronError


@click.command(cls=CronCommand)
@expression_argument
@zone_option
@output_option
@click.pass_context
def check(ctx: click.Context, expression: str, zone: str | None, output: str) -> None:
    """Say whether an expression is valid.

    If it is not, every problem is named, with carets under the piece that is wrong, and the exit
    code is 1. An expression that starts with a hyphen goes behind "--".
    """
    from kedge.cron import parse
    from kedge.cron.parser import problems

    errors = problems(expression, zone=zone)
    schedule = None if errors else parse(expression, zone=zone)
    canonical = str(schedule) if schedule else None
    document = {
        "expression": expression,
        "zone": schedule.zone if schedule else None,
        "valid": not errors,
        "canonical": canonical,
        "errors": [_record(error) for error in errors],
    }
    if errors and output == "table":
        for error in errors:
            _explain(expression, error)
    else:
        show(output, document, lambda: f"valid: {canonical}\n")
    ctx.exit(1 if errors else 0)


def _record(error: CronError) -> dict[str, object]:
    return {
        "field": error.field,
        "piece": error.piece,
        "position": error.position,
        "message": str(error),
    }


def _explain(expression: str, error: CronError) -> None:
    complain(str(error))
    if error.position is not None:
        click.echo(point_at(expression, error.position, len(error.piece)), err=True, nl=False)
