"""`kedge apiserver`: the embedded Kubernetes API as a process."""

import asyncio
import gc
import logging
import signal
from pathlib import Path

import click

COLLECT = (50_000, 20, 100)
"""Thresholds of the garbage collector: the usual ones double the cost of big lists."""


@click.command()
@click.option(
    "--data",
    required=True,
    metavar="DIR",
    help="Folder for the database, certificates and tokens; :memory: keeps nothing.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    default=6443,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="Port to listen on; 0 takes any free one.",
)
@click.option(
    "--kubeconfig",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Where to write the admin's kubeconfig.  [default: DIR/kubeconfig]",
)
@click.option(
    "--token-file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help='Users by token: lines of token,user,uid,"group1,group2".',
)
@click.option(
    "--name",
    "names",
    multiple=True,
    metavar="NAME",
    help="One more name or address for the server's certificate; may be repeated.",
)
def apiserver(
    data: str,
    host: str,
    port: int,
    kubeconfig: Path | None,
    token_file: Path | None,
    names: tuple[str, ...],
) -> None:
    """Run a Kubernetes API server with no cluster.

    Objects are kept in SQLite; pods are not run. It prints one line when it is ready, and runs
    until SIGTERM or Ctrl-C.
    """
    from kedge.apiserver.settings import ServerSettings

    if host not in {"127.0.0.1", "::1", "localhost"}:
        names = (*names, host)
    settings = ServerSettings(data, host, port, kubeconfig, token_file, names)
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    gc.set_threshold(*COLLECT)
    loop_factory = _loop_factory()
    with asyncio.Runner(loop_factory=loop_factory) as runner:
        runner.run(_serve(settings))


def _loop_factory() -> "type[asyncio.AbstractEventLoop] | None":
    """Uvloop where it is installed (the extra `kedge[speed]`)."""
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.Loop


async def _serve(settings: "object") -> None:
    from kedge.apiserver.app import ApiServer
    from kedge.apiserver.auth.certificates import CertificateError
    from kedge.apiserver.auth.tokens import TokenFileError
    from kedge.apiserver.settings import ServerSettings
    from kedge.store import StoreError

    assert isinstance(settings, ServerSettings)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    try:
        async with ApiServer(settings) as server:
            address = server.address
            click.echo(f"ready: {address.url} (kubeconfig: {address.kubeconfig})")
            await stop.wait()
    except (StoreError, TokenFileError, CertificateError) as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        raise click.ClickException(
            f"can not listen on {settings.host}:{settings.port}: {error.strerror or error}"
        ) from error
