"""Of a Restore, what tells whether there is something to do for it."""

from typing import Final

import msgspec

from kedge.api.velero.restore import RESTORE
from kedge.kube.kind import Kind


class HeadMeta(msgspec.Struct, rename="camel", frozen=True):
    """Of the metadata, what tells whether it is still the same Restore, and wanted."""

    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    creation_timestamp: str | None = None
    deletion_timestamp: str | None = None
    finalizers: list[str] | None = None


class HeadStatus(msgspec.Struct, frozen=True):
    """Of the status, the phase."""

    phase: str = ""


class RestoreHead(msgspec.Struct, frozen=True):
    """A Restore, as it is kept in memory."""

    metadata: HeadMeta = HeadMeta()
    status: HeadStatus | None = None


RESTORE_HEAD: Final[Kind[RestoreHead]] = RESTORE.into(RestoreHead)
