"""`kedge backup download`: the archive of a backup as a file of one's own."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import aclosing, contextmanager, suppress
from typing import TYPE_CHECKING, BinaryIO, Final

import click

from kedge.cli.connection import connection_options, on_cluster
from kedge.cli.download import UNPACKED, Fetching, fetch_options
from kedge.cli.errors import Failure
from kedge.cli.flags import FlagCommand, switch
from kedge.cli.output import write

if TYPE_CHECKING:
    from kedge.client import Client

PRIVATE: Final = 0o600


@click.command("download", cls=FlagCommand)
@click.argument("name", metavar="NAME")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    default="",
    help="Where to write it.  [default: NAME-data.tar.gz in this folder]",
)
@switch("--force", help="Replace a file that is there.")
@fetch_options("1m0s")
@connection_options
def download(name: str, output: str, force: bool, how: Fetching) -> None:
    """Fetch the archive of a backup.

    It holds all objects of the backup, as JSON in a tar.gz; the data of volumes is not in it.
    """
    from kedge.cli.backup.kind import BACKUPS
    from kedge.cli.selection import bare

    name = bare(BACKUPS, name)
    path = output or os.path.join(os.getcwd(), f"{name}-data.tar.gz")
    on_cluster(lambda client: _fetch(client, name, path, bool(force), how))
    write(f"Backup {name} has been successfully downloaded to {path}\n")


async def _fetch(client: Client, name: str, path: str, force: bool, how: Fetching) -> None:
    from kedge.cli.backup.kind import BACKUPS
    from kedge.cli.download import FileAbsent, Files
    from kedge.cli.selection import read_one

    backup = await read_one(client, BACKUPS, name)
    files = await Files.of_backup(client, backup, how)
    try:
        with _own_file(path, force) as file:
            async with aclosing(files.stored(UNPACKED, name)) as pieces:
                async for piece in pieces:
                    file.write(piece)
    except FileAbsent as exc:
        raise Failure(f'file not found: there is no archive of backup "{name}"') from exc


@contextmanager
def _own_file(path: str, force: bool) -> Iterator[BinaryIO]:
    """Open a file that only its owner can read, and that is not left behind half written.

    What was there is replaced by what is whole; a pipe or a device is written to as it is.
    """
    is_special = os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode)
    if is_special and force:
        with _opened(path, os.O_WRONLY) as file:
            yield file
        return
    part = f"{path}.part" if force else path
    with _opened(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL) as file:
        try:
            yield file
            file.flush()
            if part != path:
                os.replace(part, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(part)
            raise


def _opened(path: str, flags: int) -> BinaryIO:
    try:
        return os.fdopen(os.open(path, flags, PRIVATE), "wb")
    except FileExistsError as exc:
        raise Failure(f"{path} exists; use --force to replace it") from exc
    except OSError as exc:
        raise Failure(f"can not write {path}: {exc.strerror or exc}") from exc
