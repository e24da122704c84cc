"""Of each kind, what the controller looks at."""

from typing import ClassVar, Final

from kedge.api.nonadmin.location import NON_ADMIN_LOCATION
from kedge.api.nonadmin.location_request import NON_ADMIN_LOCATION_REQUEST
from kedge.api.velero.backup import BACKUP
from kedge.api.velero.storage_location import BACKUP_STORAGE_LOCATION
from kedge.kube.kind import Kind, Object, plain
from kedge.kube.meta import ObjectMeta, Partial
from kedge.selfservice.marks import (
    NAB,
    NABSL,
    NABSL_FINALIZER,
    Origin,
    is_asked,
    is_nacuuid,
    origin_of,
)
from kedge.selfservice.nab import Nab
from kedge.selfservice.whole import Asked, Whole


class Nabsl(Asked, frozen=True):
    """A NonAdminBackupStorageLocation."""

    finalizer: ClassVar[str] = NABSL_FINALIZER

    @property
    def reference(self) -> Object:
        """The reference to the BackupStorageLocation; empty: there is none."""
        return self.known.get("veleroBackupStorageLocation") or {}

    @property
    def nacuuid(self) -> str:
        """The unique name of all that is made for it; empty: none was made up yet."""
        return str(self.reference.get("nacuuid") or "")

    @property
    def location_spec(self) -> Object | None:
        """The bucket that is asked for."""
        return (self.spec or {}).get("backupStorageLocationSpec")


class Request(Whole, frozen=True):
    """A NonAdminBackupStorageLocationRequest."""

    @property
    def source(self) -> Object:
        """What the request is about."""
        return self.known.get("nonAdminBackupStorageLocation") or {}

    @property
    def requested(self) -> Object | None:
        """The bucket as it was when it was asked for; None: that was not written yet."""
        return self.source.get("requestedSpec")

    @property
    def decision(self) -> str:
        """What the administrator says."""
        return str((self.spec or {}).get("approvalDecision") or "")

    @property
    def is_asked(self) -> bool:
        """Whether the decision is the administrator's own, and not ours."""
        return is_asked(self.metadata.annotations)


class Location(Whole, frozen=True):
    """A BackupStorageLocation."""


class Found(Whole, frozen=True):
    """A Velero Backup that may have come from a bucket."""

    def is_in(self, nabsl: Nabsl) -> bool:
        """Tell whether it is kept in a location, and says that it is of its people."""
        meta = self.metadata
        named = origin_of(NAB, meta.labels, meta.annotations)
        is_theirs = named is not None and named.namespace == nabsl.metadata.namespace
        return is_theirs and (self.spec or {}).get("storageLocation") == nabsl.nacuuid


def is_kept_in(nab: Nab, nabsl: Nabsl) -> bool:
    """Tell whether a backup is in a bucket; what was made counts, not what the spec says by now."""
    made = nab.reference.get("spec")
    if made is not None:
        return bool(nabsl.nacuuid) and made.get("storageLocation") == nabsl.nacuuid
    asked = nab.backup_spec or {}
    return bool(asked.get("storageLocation") == nabsl.metadata.name)


def origin(meta: ObjectMeta) -> Origin | None:
    """Read what an object of the server's namespace was made for."""
    return origin_of(NABSL, meta.labels, meta.annotations)


def is_of(meta: ObjectMeta, nabsl: Nabsl) -> bool:
    """Tell whether an object of the server's namespace was made for this very location."""
    found = origin(meta)
    if found is None or not is_nacuuid(meta.name):
        return False
    return found.is_of(*nabsl.place, meta.name, nabsl.metadata.uid)


def secret_name(spec: Object | None) -> str:
    """Name the Secret that a bucket needs; empty: none is named."""
    return str(((spec or {}).get("credential") or {}).get("name") or "")


NABSLS: Final[Kind[Nabsl]] = NON_ADMIN_LOCATION.into(Nabsl)
REQUESTS: Final[Kind[Request]] = NON_ADMIN_LOCATION_REQUEST.into(Request)
BACKUPS: Final[Kind[Found]] = BACKUP.into(Found)
LOCATIONS: Final[Kind[Location]] = BACKUP_STORAGE_LOCATION.into(Location)
SECRETS: Final[Kind[Object]] = plain("v1", "Secret", "secrets")
SECRET_HEADS: Final[Kind[Partial]] = SECRETS.partial
"""Secrets as they are followed: which version there is, never what is in it."""
