"""The PreScaledCronJobs that a command is about: as they are, or made from CronJobs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from kedge.cli.connection import given_namespace, on_cluster
from kedge.cli.errors import Failure, Misuse
from kedge.cli.objects import part
from kedge.cli.prescaled.kind import CRON_JOBS, PRESCALED, VERSIONS
from kedge.cli.prescaled.made import from_cron_job, led
from kedge.cli.prescaled.reference import reference
from kedge.cli.selection import Found, Wanted, find_objects

if TYPE_CHECKING:
    from kedge.client import Client
    from kedge.kube.kind import Kind, Object


def of_file(filename: str, lead: timedelta | None) -> list[Object]:
    """Read what is in a file, `-` is stdin; CronJobs get the lead. Failure if there is nothing."""
    from kedge.cli.manifest import read_all

    found = [
        prescaled_of(kind, one, lead)
        for one in read_all(filename)
        if (kind := _kind_of(one)) is not None
    ]
    if not found:
        raise Failure(f"there is neither a CronJob nor a PreScaledCronJob in {filename}")
    return [_placed(one) for one in found]


def of_cluster(wanted: Wanted, lead: timedelta | None, usual: Kind[Object]) -> Found:
    """Read what is named, or all of the usual kind; CronJobs get the lead."""
    references = [reference(name, usual) for name in wanted.names]
    if references:
        return on_cluster(lambda client: _named(client, references, lead))
    found = on_cluster(lambda client: find_objects(client, usual, wanted))
    found.objects = [prescaled_of(usual, one, lead) for one in found.objects]
    return found


async def _named(
    client: Client, references: Sequence[tuple[Kind[Object], str]], lead: timedelta | None
) -> Found:
    every = Found()
    for kind, name in dict.fromkeys(references):
        found = await find_objects(client, kind, Wanted([name]))
        every.objects += [prescaled_of(kind, one, lead) for one in found.objects]
        every.problems += found.problems
    return every


def prescaled_of(kind: Kind[Object], obj: Object, lead: timedelta | None) -> Object:
    """Give the PreScaledCronJob of an object, with another lead if there is one."""
    if kind is PRESCALED:
        return obj if lead is None else led(obj, lead)
    if lead is None:
        name = part(obj, "metadata", "name")
        raise Misuse(f'CronJob "{name}" says nothing of warm-ups: --lead is required')
    return from_cron_job(obj, lead)


def chosen(objects: list[Object], wanted: Wanted, filename: str) -> Found:
    """Keep those of a file that are named, or that match the selector."""
    from kedge.kube.selectors import parse_labels

    selector = parse_labels(wanted.selector)
    kept = [one for one in objects if selector.matches(_labels(one))]
    if not wanted.names:
        return Found(kept)
    names = [reference(name, PRESCALED)[1] for name in wanted.names]
    known = {part(one, "metadata", "name") for one in kept}
    return Found(
        [one for one in kept if part(one, "metadata", "name") in names],
        [f'there is no "{name}" in {filename}' for name in names if name not in known],
    )


def _kind_of(obj: Object) -> Kind[Object] | None:
    version, name = obj.get("apiVersion"), obj.get("kind")
    if version == PRESCALED.api_version and name == PRESCALED.name:
        return PRESCALED
    return CRON_JOBS if version in VERSIONS and name == CRON_JOBS.name else None


def _labels(obj: Object) -> dict[str, str]:
    labels = part(obj, "metadata", "labels")
    return labels if isinstance(labels, dict) else {}


def _placed(obj: Any) -> Object:
    """Put an object of a file into the namespace of the option, if it names none itself."""
    meta = part(obj, "metadata")
    if not isinstance(meta, dict) or not meta.get("name"):
        raise Failure("an object of the file has no metadata.name; give it one")
    if given_namespace() and not meta.get("namespace"):
        return {**obj, "metadata": {**meta, "namespace": given_namespace()}}
    return dict(obj)
