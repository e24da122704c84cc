"""What belongs to a backup or a restore, and what its files hold, or why that is not known."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kedge.cli.download import FileAbsent, FileProblem, FileUnreadable
from kedge.cli.errors import Failure, complain

if TYPE_CHECKING:
    from kedge.cli.download import Files
    from kedge.client import Client
    from kedge.kube.kind import Kind, Object

Resources = dict[str, list[str] | None]
"""For `v1/Pod`, say: `namespace/name` of each."""
Documents = list[dict[str, Any]]


class Result(msgspec.Struct, frozen=True):
    """Warnings, or errors, by what they are about."""

    velero: list[str] | None = None
    cluster: list[str] | None = None
    namespaces: dict[str, list[str] | None] | None = None


class Results(msgspec.Struct, frozen=True):
    """The warnings and the errors of a run."""

    warnings: Result = Result()
    errors: Result = Result()


@dataclass(frozen=True, slots=True)
class Loaded:
    """A file, or why there is none."""

    value: Any = None
    problem: str = ""
    is_absent: bool = False
    is_unreadable: bool = False


ABSENT: Final = Loaded(problem="file not found", is_absent=True)


async def load(files: Files, target: str, name: str, shape: Any) -> Loaded:
    """Read a file; what goes wrong is told in what is given."""
    try:
        read = await files.document(target, name)
        return Loaded(msgspec.convert(_list_for_null(read, shape), shape))
    except FileAbsent:
        return ABSENT
    except FileUnreadable as exc:
        return Loaded(problem=exc.message, is_unreadable=True)
    except msgspec.ValidationError as exc:
        return Loaded(problem=str(exc), is_unreadable=True)
    except FileProblem as exc:
        return Loaded(problem=exc.message)
    except Failure as exc:  # not gzip, or not whole
        return Loaded(problem=exc.message, is_unreadable=True)


async def load_all(
    files: Files, name: str, wanted: Mapping[str, tuple[str, Any]]
) -> dict[str, Loaded]:
    """Read several files at once: a server that does not answer is waited for once."""
    found = await asyncio.gather(
        *(load(files, target, name, shape) for target, shape in wanted.values())
    )
    return dict(zip(wanted, found, strict=True))


async def related(
    client: Client, kind: Kind[Object], noun: str, owner: Object, labels: str
) -> list[Object]:
    """Read what belongs to a backup or a restore; what goes wrong is told, and nothing given."""
    from kedge.client import ClientError, Selection
    from kedge.kube.errors import ApiError

    meta = owner["metadata"]
    try:
        return [one async for one in client.list(kind, Selection(meta["namespace"], labels))]
    except (ApiError, ClientError) as exc:
        complain(f"error getting {kind.name}s for {noun} {meta['name']}: {exc}", head="")
        return []


def _list_for_null(read: Any, shape: Any) -> Any:
    return [] if read is None and shape is Documents else read
