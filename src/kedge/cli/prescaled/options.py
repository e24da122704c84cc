"""The option `--lead` of the commands, in a place that costs nothing to import."""

from datetime import timedelta

import click

from kedge.cli.durations import read_duration

LEAD = "How long before each run to start: 10 (minutes), 10m, 1h30m, 2d, 1d12h."


def _read(ctx: click.Context, param: click.Parameter, given: str | None) -> timedelta | None:
    return None if given is None else read_duration(ctx, param, given)


lead_option = click.option("--lead", callback=_read, metavar="LEAD", help=LEAD)
needed_lead_option = click.option(
    "--lead", callback=read_duration, required=True, metavar="LEAD", help=LEAD
)
