"""Of each kind, what the controller looks at."""

from typing import Final

from kedge.api.nonadmin.download_request import NON_ADMIN_DOWNLOAD_REQUEST
from kedge.api.nonadmin.restore import NON_ADMIN_RESTORE
from kedge.api.velero.backup import BACKUP
from kedge.api.velero.download_request import DOWNLOAD_REQUEST
from kedge.api.velero.restore import RESTORE
from kedge.api.velero.storage_location import BACKUP_STORAGE_LOCATION
from kedge.kube.kind import Kind, Object
from kedge.selfservice.marks import NADR, Origin, origin_of
from kedge.selfservice.whole import Whole


class Nadr(Whole, frozen=True):
    """A NonAdminDownloadRequest."""

    @property
    def target(self) -> tuple[str, str]:
        """The kind of file, and the name of whose it is; empty where they are not given."""
        target = (self.spec or {}).get("target") or {}
        return str(target.get("kind") or ""), str(target.get("name") or "")

    @property
    def answer(self) -> Object:
        """What was answered already; empty: nothing."""
        return ((self.status or {}).get("velero") or {}).get("status") or {}

    @property
    def download_name(self) -> str:
        """The name of the DownloadRequest that is made for it."""
        return f"nadr-{self.metadata.uid}"


class Download(Whole, frozen=True):
    """A DownloadRequest."""

    @property
    def origin(self) -> Origin | None:
        """The request that it was made for; None where its marks are not whole."""
        found = origin_of(NADR, self.metadata.labels, self.metadata.annotations)
        is_named = found is not None and self.metadata.name == f"nadr-{found.nacuuid}"
        return found if is_named else None


NADRS: Final[Kind[Nadr]] = NON_ADMIN_DOWNLOAD_REQUEST.into(Nadr)
DOWNLOADS: Final[Kind[Download]] = DOWNLOAD_REQUEST.into(Download)
NARS: Final[Kind[Whole]] = NON_ADMIN_RESTORE.into(Whole)
BACKUPS: Final[Kind[Whole]] = BACKUP.into(Whole)
RESTORES: Final[Kind[Whole]] = RESTORE.into(Whole)
LOCATIONS: Final[Kind[Whole]] = BACKUP_STORAGE_LOCATION.into(Whole)
