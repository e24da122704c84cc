"""Finds out where a Restore gets its objects from, with Velero's words for what is not there."""

from dataclasses import replace
from typing import Final

from kedge.api.velero.backup import BACKUP, Backup
from kedge.api.velero.labels import SCHEDULE_NAME, valid_name
from kedge.api.velero.restore import RestoreSpec
from kedge.api.velero.storage_location import (
    BACKUP_STORAGE_LOCATION,
    BackupStorageLocation,
    LocationPhase,
)
from kedge.client import Client, Selection
from kedge.controllers.restore.decide import Source, newest_completed
from kedge.engine.restore.modifiers import Modifiers, ModifiersError, problem, read
from kedge.kube.errors import ApiError, NotFound
from kedge.kube.kind import plain

CONFIG_MAPS: Final = plain("v1", "ConfigMap", "configmaps")
MODIFIER_KIND: Final = "configmap"
CLIENT_ERRORS: Final = range(400, 500)
TOO_MANY: Final = 429


class Missing(Exception):
    """Something that a Restore needs is not there; the text is Velero's."""


async def find_source(client: Client, namespace: str, spec: RestoreSpec) -> Source:
    """Find Backup, location and modifiers; raises what may be another answer the next time."""
    problems: list[str] = []
    source = Source(backup_name=spec.backup_name, schedule_name=spec.schedule_name)
    try:
        if spec.schedule_name:
            name = await _newest(client, namespace, spec.schedule_name, problems)
            source = replace(source, backup_name=name)
        backup, location = await backup_and_location(client, namespace, source.backup_name)
        _check(location)
        labels = backup.metadata.labels or {}
        schedule = source.schedule_name or labels.get(SCHEDULE_NAME, "")
        source = replace(source, location=location, schedule_name=schedule)
        source = replace(source, modifiers=await _modifiers(client, namespace, spec))
    except Missing as exc:
        problems.append(str(exc))
    return replace(source, problems=tuple(problems))


async def backup_and_location(
    client: Client, namespace: str, name: str
) -> tuple[Backup, BackupStorageLocation]:
    """Read a Backup and its location; raises Missing, with the refusal as its cause."""
    try:
        backup = await client.get(BACKUP, name, namespace)
    except ApiError as exc:
        text = f"can't find backup {namespace}/{name}: {lasting(exc)}"
        raise Missing(f"Error retrieving backup: {text}") from exc
    try:
        return backup, await client.get(
            BACKUP_STORAGE_LOCATION, backup.spec.storage_location, namespace
        )
    except (ApiError, ValueError) as exc:
        text = lasting(exc) if isinstance(exc, ApiError) else "it has no storage location"
        raise Missing(f"Error retrieving backup: {text}") from exc


def _check(location: BackupStorageLocation) -> None:
    if not is_available(location):
        name = location.metadata.name
        raise Missing(f"The BSL {name} is unavailable, cannot retrieve the backup")


def is_available(location: BackupStorageLocation) -> bool:
    """Tell whether a location can be used."""
    return location.status.phase == LocationPhase.AVAILABLE


def lasting(exc: ApiError) -> str:
    """Give the words of a refusal; one that may pass is raised, so that it is asked again."""
    if exc.code in CLIENT_ERRORS and exc.code != TOO_MANY:
        return exc.message
    raise exc


async def _newest(client: Client, namespace: str, schedule: str, problems: list[str]) -> str:
    """Give the newest good Backup of a Schedule; raises Missing."""
    selection = Selection(namespace, labels=f"{SCHEDULE_NAME}={valid_name(schedule)}")
    try:
        backups = [one async for one in client.list(BACKUP, selection)]
    except ApiError as exc:
        lasting(exc)
        raise Missing("Unable to list backups for schedule") from exc
    if not backups:
        problems.append("No backups found for schedule")
    name = newest_completed(backups)
    if not name:
        raise Missing("No completed backups found for schedule")
    return name


async def _modifiers(client: Client, namespace: str, spec: RestoreSpec) -> Modifiers | None:
    """Read the rules by which objects are changed, if there are some; raises Missing."""
    wanted = spec.resource_modifier
    if wanted is None or wanted.kind.lower() != MODIFIER_KIND:
        return None
    place = f"{namespace}/{wanted.name}"
    try:
        found = await client.get(CONFIG_MAPS, wanted.name, namespace)
    except (NotFound, ValueError) as exc:
        raise Missing(f"failed to get resource modifiers configmap {place}") from exc
    except ApiError as exc:
        lasting(exc)
        raise Missing(f"failed to get resource modifiers configmap {place}") from exc
    try:
        modifiers = read(found.get("data"), place)
    except ModifiersError as exc:
        text = f"Error in parsing resource modifiers provided in configmap {place}: {exc}"
        raise Missing(text) from exc
    if why := problem(modifiers):
        text = f"Validation error in resource modifiers provided in configmap {place}: {why}"
        raise Missing(text)
    return modifiers
