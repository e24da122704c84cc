"""Where an API server of ours listens: options of `kedge apiserver` and `kedge up`."""

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

if TYPE_CHECKING:
    from kedge.apiserver.settings import ServerSettings

F = TypeVar("F", bound=Callable[..., Any])

LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})
OF_DISKS: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO})
FIXES: Final = {
    errno.EADDRINUSE: "--port 0 takes a free one",
    errno.EACCES: "--port names one above 1023",
}
"""What helps against what the system says of an address."""


def listening_options(command: F) -> F:
    """Add --host, --port and --kubeconfig."""
    host = click.option(
        "--host", default="127.0.0.1", show_default=True, help="Address to listen on."
    )
    port = click.option(
        "--port",
        default=6443,
        show_default=True,
        type=click.IntRange(0, 65535),
        help="Port to listen on; 0 takes any free one.",
    )
    kubeconfig = click.option(
        "--kubeconfig",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Where to write the admin's kubeconfig.  [default: DIR/kubeconfig]",
    )
    return host(port(kubeconfig(command)))


def names_for(host: str) -> tuple[str, ...]:
    """Give the names that the server's certificate needs beside its usual ones."""
    return () if host in LOOPBACK else (host,)


def start_refusal(error: OSError, settings: "ServerSettings") -> click.ClickException:
    """Say why a server did not start: a file that can not be used, or else the port."""
    # asyncio puts its own words around those of the system; a name that is not known has a code
    # below zero.
    code = error.errno or 0
    why = os.strerror(code) if code > 0 else error.strerror or str(error)
    if error.filename or code in OF_DISKS:
        where = error.filename or settings.data
        return click.ClickException(f"can not use {where}: {why}; --data names another folder")
    fix = FIXES.get(code, "--host names an address of this machine")
    address = f"{settings.host}:{settings.port}"
    return click.ClickException(f"can not listen on {address}: {why}; {fix}")
