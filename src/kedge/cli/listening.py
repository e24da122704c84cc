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
