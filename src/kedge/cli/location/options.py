"""Options that the commands about storage locations share."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import click

from kedge.cli.errors import Failure, Misuse
from kedge.cli.flags import map_option
from kedge.cli.objects import part

if TYPE_CHECKING:
    from kedge.client import Client
    from kedge.kube.kind import Object

MODES: Final = ("ReadWrite", "ReadOnly")
BOTH: Final = "cannot specify both caCert and caCertRef in objectStorage"

credential_option = map_option(
    "--credential", help="The credentials: the name of a Secret = the key in it."
)
access_mode_option = click.option(
    "--access-mode",
    type=click.Choice(MODES),
    default=MODES[0],
    show_default=True,
    help="Whether backups can be made and deleted here.",
)


def period_option(name: str, text: str) -> Callable[[Any], Any]:
    """Make an option for how often something is done; 0 is a value of its own."""
    return click.option(name, metavar="DURATION", default=None, callback=_read_period, help=text)


def _read_period(ctx: click.Context, param: click.Parameter, given: str | None) -> str | None:
    from kedge.kube.durations import ZERO, DurationError, format_duration, parse_duration

    if given is None:
        return None
    try:
        period = parse_duration(given)
    except DurationError as exc:
        raise click.BadParameter(f"{given!r} is not a duration; write it as 1m or 0s") from exc
    if period < ZERO:
        raise Misuse(f"{param.opts[-1]} must be non-negative")
    return format_duration(period)


def credential_of(given: dict[str, str]) -> Object | None:
    """Make the reference to the credentials; None if there are none."""
    if len(given) > 1:
        raise Misuse("--credential can only contain 1 key/value pair; write it as SECRET=KEY")
    for name, key in given.items():
        return {"name": name, "key": key}
    return None


def read_certificate(path: str) -> str:
    """Read certificates from a file, as the API takes them; raises Failure."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as exc:
        raise Failure(f"can not read {path}: {exc.strerror or exc}") from exc
    if b"-----BEGIN CERTIFICATE-----" not in data:
        raise Failure(
            f"{path} holds no certificate in PEM, which begins with -----BEGIN CERTIFICATE-----"
        )
    return base64.b64encode(data).decode("ascii")


async def defaults(client: Client, place: str) -> list[str]:
    """Give the names of the locations that are the default: there should be one at most."""
    from kedge.cli.location.kind import LOCATIONS
    from kedge.client import Selection

    found = client.list(LOCATIONS, Selection(place))
    return [one["metadata"]["name"] async for one in found if part(one, "spec", "default")]
