"""`kedge apiserver`: the embedded Kubernetes API as a process."""

import logging
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kedge.cli.listening import listening_options, names_for, start_refusal
from kedge.cli.loop import run_loop, stop_signal

if TYPE_CHECKING:
    from kedge.apiserver.settings import ServerSettings


@click.command()
@click.option(
    "--data",
    required=True,
    metavar="DIR",
    help="Folder for the database, certificates and tokens; :memory: keeps nothing.",
)
@listening_options
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

    names = (*names, *names_for(host))
    settings = ServerSettings(data, host, port, kubeconfig, token_file, names)
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    run_loop(_serve(settings))


async def _serve(settings: "ServerSettings") -> None:
    from kedge.apiserver.app import ApiServer
    from kedge.apiserver.auth.certificates import CertificateError
    from kedge.apiserver.auth.tokens import TokenFileError
    from kedge.store import StoreError

    stop = stop_signal()
    try:
        async with ApiServer(settings) as server:
            address = server.address
            click.echo(f"ready: {address.url} (kubeconfig: {address.kubeconfig})")
            await stop.wait()
    except (StoreError, TokenFileError, CertificateError) as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        raise start_refusal(error, settings) from error
