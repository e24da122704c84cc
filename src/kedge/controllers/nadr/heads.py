"""Of each kind, what the controller looks at."""

from typing import Final

from kedge.api.nonadmin.download_request import NON_ADMIN_DOWNLOAD_REQUEST
from kedge.api.nonadmin.restore import NON_ADMIN_RESTORE
from kedge.api.velero.backup import BACKUP
from kedge.api.velero.download_request import DOWNLOAD_REQUEST
from kedge.api.velero.restore import RESTORE
from kedge.api.velero.storage_location import BACKUP_STORAGE_LOCATION
from kedge.kube.conditions import find_condition
from kedge.kube.kind import Kind, Object
from kedge.selfservice.marks import NADR, Origin, origin_of
from kedge.selfservice.whole import Whole

PROCESSED: Final = "Processed"
"""The condition that tells of an answer."""
ORIGIN_GENERATION: Final = "kedge.dev/origin-generation"
"""On a DownloadRequest: the generation of the request that it was made for; an edit makes another.
"""


class Nadr(Whole, frozen=True):
    """A NonAdminDownloadRequest."""

    @property
    def target(self) -> tuple[str, str]:
        """The kind of file, and the name of whose it is; empty where they are not given."""
        target = (self.spec or {}).get("target") or {}
        return str(target.get("kind") or ""), str(target.get("name") or "")

    @property
    def answer(self) -> Object:
        """What was answered already; empty: nothing, or to what was asked for before an edit."""
        said = find_condition(self.known.get("conditions"), PROCESSED) or {}
        if said.get("observedGeneration") not in (None, self.metadata.generation):
            return {}
        return (self.known.get("velero") or {}).get("status") or {}

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

    def is_of(self, nadr: Nadr) -> bool:
        """Tell whether it was made for a request, and for what that asks for now."""
        origin, notes = self.origin, self.metadata.annotations or {}
        if origin is None or not origin.is_of(*nadr.place, nadr.metadata.uid):
            return False
        generation = str(nadr.metadata.generation)
        return notes.get(ORIGIN_GENERATION, generation) == generation


NADRS: Final[Kind[Nadr]] = NON_ADMIN_DOWNLOAD_REQUEST.into(Nadr)
DOWNLOADS: Final[Kind[Download]] = DOWNLOAD_REQUEST.into(Download)
NARS: Final[Kind[Whole]] = NON_ADMIN_RESTORE.into(Whole)
BACKUPS: Final[Kind[Whole]] = BACKUP.into(Whole)
RESTORES: Final[Kind[Whole]] = RESTORE.into(Whole)
LOCATIONS: Final[Kind[Whole]] = BACKUP_STORAGE_LOCATION.into(Whole)
