"""`kedge restore create --preview`: what a restore would do, found out without doing it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, BinaryIO

from kedge.cli.connection import namespace
from kedge.cli.errors import Failure
from kedge.cli.objects import part

if TYPE_CHECKING:
    from kedge.archive.contents import Contents
    from kedge.cli.download import Fetching
    from kedge.client import Client
    from kedge.engine.restore.modifiers import Modifiers
    from kedge.engine.restore.preview import Change
    from kedge.kube.kind import Object

PIECE = 2**16
"""Bytes of an archive that are read at once: others get their turn in between."""


async def previewed(
    client: Client, restore: Object, backup: Object, how: Fetching
) -> tuple[list[Change], list[str]]:
    """Tell what a Restore would do, and what it would warn of; changes nothing."""
    import tempfile

    from kedge.cli.restore.kind import typed
    from kedge.engine.restore.preview import RestoreRun, preview

    spec = _checked(typed(restore).spec)
    run = RestoreRun(
        name=restore["metadata"]["name"],
        namespace=namespace(),
        backup_name=backup["metadata"]["name"],
        spec=spec,
        modifiers=await _modifiers(client, restore),
    )
    with tempfile.TemporaryFile(prefix="kedge-preview-") as scratch:
        contents = await _contents(client, backup, how, scratch)
        warnings: list[str] = []
        changes = await preview(client, run, contents, client.clock, warnings.append)
        return changes, warnings


def _checked(spec: Any) -> Any:
    """Complete the spec as the server does, and refuse what it would refuse."""
    from kedge.engine.restore.validate import complete, problems

    whole = complete(spec)
    found = problems(whole)
    if found:
        raise Failure(*found)
    return whole


async def _modifiers(client: Client, restore: Object) -> Modifiers | None:
    from kedge.engine.restore.modifiers import ModifiersError, problem, read
    from kedge.kube.errors import NotFound
    from kedge.kube.kind import plain

    name = part(restore, "spec", "resourceModifier", "name")
    if not name:
        return None
    where = f"{namespace()}/{name}"
    try:
        config = await client.get(plain("v1", "ConfigMap", "configmaps"), name, namespace())
        modifiers = read(config.get("data") or {}, where)
        told = problem(modifiers)
    except NotFound as exc:
        raise Failure(f"failed to get resource modifiers configmap {where}") from exc
    except (ModifiersError, ValueError) as exc:
        raise Failure(str(exc)) from exc
    if told:
        raise Failure(f"the rules of ConfigMap {where} are not good: {told}")
    return modifiers


async def _contents(client: Client, backup: Object, how: Fetching, scratch: BinaryIO) -> Contents:
    from kedge.aio.turn import turn
    from kedge.archive.contents import ContentsBuilder
    from kedge.archive.errors import ArchiveError
    from kedge.cli.download import UNPACKED, FileAbsent, Files

    name = backup["metadata"]["name"]
    files = await Files.of_backup(client, backup, how)
    builder = ContentsBuilder(scratch)
    try:
        async with aclosing(files.stored(UNPACKED, name)) as pieces:
            async for piece in pieces:
                for start in range(0, len(piece), PIECE):
                    builder.feed(piece[start : start + PIECE])
                    await turn()
        return builder.finish()
    except FileAbsent as exc:
        raise Failure(f'file not found: there is no archive of backup "{name}"') from exc
    except ArchiveError as exc:
        raise Failure(str(exc)) from exc


def document(restore: Object, backup: str, changes: Sequence[Change]) -> dict[str, Any]:
    """Write what would happen for programs."""
    return {
        "restore": restore["metadata"]["name"],
        "backup": backup,
        "summary": counts(changes),
        "changes": [
            {
                "action": str(one.action),
                "resource": one.place.resource,
                "namespace": one.place.namespace,
                "name": one.place.name,
                "reason": one.reason,
                "diff": one.diff,
            }
            for one in changes
        ],
    }


def counts(changes: Sequence[Change]) -> dict[str, int]:
    """Count the objects by what would become of them."""
    from kedge.engine.restore.preview import Action

    return {str(action): sum(one.action == action for one in changes) for action in Action}
