"""Flags of `kedge server` that are about backups and restores, and the settings made of them."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from kedge.cli.operator.flags import address, flag

if TYPE_CHECKING:
    from kedge.cli.operator.settings import EngineSettings

F = TypeVar("F", bound=Callable[..., Any])


def _read(ctx: click.Context, param: click.Parameter, given: str) -> timedelta:
    from kedge.kube.durations import ZERO, DurationError, parse_duration

    try:
        duration = parse_duration(given)
    except DurationError as exc:
        raise click.BadParameter(f"{given!r} is not a duration; write it as 720h or 1h30m") from exc
    if duration < ZERO:
        raise click.BadParameter(f"{given!r} is negative; write it as 720h or 1h30m")
    return duration


def _time(name: str, default: str, text: str) -> Callable[[F], F]:
    return flag(
        name, default=default, show_default=True, metavar="DURATION", callback=_read, help=text
    )


_OPTIONS: Final[tuple[Callable[[Any], Any], ...]] = (
    flag(
        "--default-backup-storage-location",
        default="default",
        show_default=True,
        metavar="NAME",
        help="The location of Backups that name none, where none is marked as the default.",
    ),
    _time("--default-backup-ttl", "720h", "How long Backups are kept that do not say it."),
    _time(
        "--backup-sync-period",
        "1m",
        "Between two looks for Backups that others have stored; a location can say it itself.",
    ),
    _time(
        "--store-validation-frequency",
        "1m",
        "Between two checks of a location; 0: just one. A location can say it itself.",
    ),
    _time(
        "--garbage-collection-frequency",
        "1h",
        "When the deletion of an expired Backup that failed is tried again; 0: after an hour.",
    ),
    _time(
        "--default-item-operation-timeout",
        "4h",
        "For work aside of Backups and Restores that do not say it.",
    ),
    _time("--resource-timeout", "10m", "How long a restore waits for a kind to become known."),
    _time(
        "--terminating-resource-timeout",
        "10m",
        "How long a restore waits for a namespace that is being deleted.",
    ),
    flag(
        "--restore-resource-priorities",
        default="",
        metavar="A,B,-,Y,Z",
        help="Resources that are restored first and, behind a hyphen, last.  [default: as Velero]",
    ),
    flag(
        "--concurrent-backups",
        type=click.IntRange(1),
        default=1,
        show_default=True,
        metavar="N",
        help="Backups that run at once; never two of one namespace.",
    ),
    _time(
        "--queue-position-period",
        "4s",
        "Positions of NonAdminBackups and NonAdminRestores behind the first ten are told at most "
        "once in so long, those of the first ten at once.",
    ),
    flag(
        "--objects-dir",
        type=click.Path(file_okay=False, path_type=Path),
        metavar="DIR",
        help="Where locations of the provider kedge.dev/filesystem keep their buckets, unless "
        "they name a path.",
    ),
    flag(
        "--download-address",
        default="",
        metavar="ADDRESS",
        help="Where files of kedge.dev/filesystem can be fetched by signed URLs.  "
        "[default: nowhere]",
    ),
    flag(
        "--download-url",
        default="",
        metavar="URL",
        help="How others reach that address, as https://kedge.example.com.  "
        "[default: by this machine's name]",
    ),
)


def engine_flags(command: F) -> F:
    """Give a command all these flags."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def engine_settings_of(flags: dict[str, Any]) -> "EngineSettings":
    """Put the flags together; raises ValueError that names the flag."""
    from kedge.cli.operator.settings import EngineSettings
    from kedge.cli.references import url_problem
    from kedge.engine.restore.order import PriorityError, parse

    try:
        parse(flags["restore_resource_priorities"])
    except PriorityError as exc:
        raise ValueError(f"--restore-resource-priorities: {exc}") from exc
    if not flags["default_backup_ttl"]:
        raise ValueError("--default-backup-ttl must be longer than no time at all")
    try:
        host, port = address(flags["download_address"])
    except ValueError as exc:
        raise ValueError(f"--download-address: {exc}") from exc
    url = flags["download_url"]
    if url and (problem := url_problem("--download-url", url)):
        raise ValueError(problem)
    return EngineSettings(
        default_location=flags["default_backup_storage_location"],
        backup_ttl=flags["default_backup_ttl"],
        sync_period=flags["backup_sync_period"],
        validation_frequency=flags["store_validation_frequency"],
        gc_frequency=flags["garbage_collection_frequency"],
        item_operation_timeout=flags["default_item_operation_timeout"],
        resource_timeout=flags["resource_timeout"],
        terminating_timeout=flags["terminating_resource_timeout"],
        restore_priorities=flags["restore_resource_priorities"],
        concurrent_backups=flags["concurrent_backups"],
        page=flags["client_page_size"],
        objects_folder=flags["objects_dir"],
        download_host=host,
        download_port=port,
        download_url=url,
    )
