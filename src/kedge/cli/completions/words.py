"""Which names a parameter of a command takes, and where the server has them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import click

from kedge.cli.completions.asking import names
from kedge.cli.connection import access, given_namespace, namespace
from kedge.cli.errors import Failure

if TYPE_CHECKING:
    from collections.abc import Iterable

VELERO: Final = "/apis/velero.io/v1"
NONADMIN: Final = "/apis/oadp.openshift.io/v1alpha1"
PRESCALED: Final = "/apis/psc.cronprimer.local/v1alpha1"
NAMESPACES: Final = "/api/v1/namespaces"
NOUNS: Final = {
    "schedule": (VELERO, "schedules"),
    "schedules": (VELERO, "schedules"),
    "backup": (VELERO, "backups"),
    "backups": (VELERO, "backups"),
    "restore": (VELERO, "restores"),
    "restores": (VELERO, "restores"),
    "backup-location": (VELERO, "backupstoragelocations"),
    "backup-locations": (VELERO, "backupstoragelocations"),
    "prescaled": (PRESCALED, "prescaledcronjobs"),
    "nab": (NONADMIN, "nonadminbackups"),
    "nar": (NONADMIN, "nonadminrestores"),
    "nabsl": (NONADMIN, "nonadminbackupstoragelocations"),
}
"""The collection of objects that a word of the command stands for."""
OF_TENANTS: Final = frozenset({"nab", "nar", "nabsl"})
OPTIONS: Final = {
    "from_backup": ("backup", "nab"),
    "from_schedule": ("schedule", "schedule"),
    "storage_location": ("backup-location", "nabsl"),
}
"""By the name of an option: the word for its values, and that in commands of self-service."""
IN_NAMESPACES: Final = frozenset(
    {"namespace", "include_namespaces", "exclude_namespaces", "server_namespace"}
)
NEW: Final = "create"
"""Names that a command makes up are not those that are there."""


def offered(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str] | None:
    """Give the names to offer; None: this parameter does not take names of the server."""
    try:
        return _offered(ctx, parameter, incomplete)
    except (Failure, click.ClickException):
        return []


def _offered(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str] | None:
    name = parameter.name or ""
    words = _path(ctx)
    if isinstance(parameter, click.Argument):
        if name not in ("name", "names") or NEW in words:
            return None
        taken = set(ctx.params.get(name) or ()) if name == "names" else set()
        return [one for one in _objects(_noun(words), incomplete) if one not in taken]
    if name == "kubecontext":
        return [one for one in _contexts(ctx) if one.startswith(incomplete)]
    if name in IN_NAMESPACES:
        return _namespaces(incomplete)
    if name in OPTIONS:
        usual, own = OPTIONS[name]
        return _objects(own if OF_TENANTS & set(words) else usual, incomplete)
    return None


def _path(ctx: click.Context) -> list[str]:
    """Give the words of the command, as they are in the tables: of two names, the first."""
    found: list[str] = []
    at: click.Context | None = ctx
    while at is not None and at.parent is not None:
        parent = at.parent.command
        aliases = getattr(parent, "aliases", {})
        word = at.info_name or ""
        found.insert(0, aliases.get(word, word))
        at = at.parent
    return found


def _noun(words: Iterable[str]) -> str:
    return next((word for word in words if word in NOUNS), "")


def _objects(noun: str, incomplete: str) -> list[str]:
    if noun not in NOUNS:
        return []
    root, plural = NOUNS[noun]
    return names(access(), f"{root}/namespaces/{namespace()}/{plural}", incomplete)


def _namespaces(incomplete: str) -> list[str]:
    """Give namespaces, behind the commas of a list; who may not see them has one at least."""
    head, comma, last = incomplete.rpartition(",")
    found = names(access(), NAMESPACES, last)
    own = given_namespace() or access().namespace
    if not found and own.startswith(last):
        found = [own]
    return [f"{head}{comma}{one}" for one in found]


def _contexts(ctx: click.Context) -> list[str]:
    from pathlib import Path

    from kedge.cli.connection import given_kubeconfig
    from kedge.client.where import ConfigError
    from kedge.client.where.kubeconfig import load
    from kedge.client.where.local import default_paths

    named = given_kubeconfig()
    paths = [Path(named)] if named else default_paths(os.environ)
    try:
        return sorted(load(paths, must_exist=False).contexts)
    except ConfigError:
        return []
