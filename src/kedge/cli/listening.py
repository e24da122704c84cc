"""Where an API server of ours listens: options of `kedge apiserver` and `kedge up`."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})


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


def start_refusal(error: OSError, host: str, port: int) -> click.ClickException:
    """Say why a server did not start: a file that can not be used, or else the port."""
    why = error.strerror or str(error)
    if error.filename:
        return click.ClickException(
            f"can not use {error.filename}: {why}; --data names another folder"
        )
    return click.ClickException(
        f"can not listen on {host}:{port}: {why}; --port 0 takes a free one"
    )
