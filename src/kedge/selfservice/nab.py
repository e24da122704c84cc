"""A NonAdminBackup, as all who deal with it read it: so they share what is kept of it."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from kedge.api.nonadmin.backup import NON_ADMIN_BACKUP
from kedge.kube.conditions import find_condition, is_condition
from kedge.kube.kind import Kind, Object
from kedge.kube.meta import ObjectMeta
from kedge.selfservice.conditions import ConditionType
from kedge.selfservice.marks import NAB_FINALIZER, synced_from


class Whole(msgspec.Struct, frozen=True, omit_defaults=True):
    """An object without what the server keeps for itself; spec and status as they are."""

    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    spec: Object | None = None
    status: Object | None = None


class Nab(Whole, frozen=True):
    """A NonAdminBackup."""

    @property
    def place(self) -> tuple[str, str]:
        """Namespace and name."""
        return self.metadata.namespace, self.metadata.name

    @property
    def known(self) -> Object:
        """The status; none is empty."""
        return self.status or {}

    @property
    def phase(self) -> str:
        """The phase; empty: the object is new to us."""
        return str(self.known.get("phase") or "")

    @property
    def conditions(self) -> list[Object]:
        """The conditions."""
        return list(self.known.get("conditions") or ())

    @property
    def reference(self) -> Object:
        """The reference to the Velero Backup; empty: there is none."""
        return self.known.get("veleroBackup") or {}

    @property
    def nacuuid(self) -> str:
        """The unique name of the Velero Backup; empty: none was made up yet."""
        return str(self.reference.get("nacuuid") or "")

    @property
    def backup_spec(self) -> Object | None:
        """What is to be saved."""
        return (self.spec or {}).get("backupSpec")

    @property
    def has_finalizer(self) -> bool:
        """Whether it waits for us before it goes."""
        return NAB_FINALIZER in (self.metadata.finalizers or ())

    @property
    def is_leaving(self) -> bool:
        """Whether somebody deleted it."""
        return self.metadata.deletion_timestamp is not None

    @property
    def is_queued(self) -> bool:
        """Whether a Velero Backup was made, and we have said so."""
        return is_condition(self.conditions, ConditionType.QUEUED)

    @property
    def synced_from(self) -> str:
        """The nacuuid of the Velero Backup that it was made for, not that for it; empty: none."""
        label = synced_from(self.metadata.labels)
        return label if label and self.nacuuid in ("", label) else ""

    def accepted(self) -> Mapping[str, Any]:
        """Give the condition that tells whether the spec was accepted."""
        return find_condition(self.conditions, ConditionType.ACCEPTED) or {}


NABS: Final[Kind[Nab]] = NON_ADMIN_BACKUP.into(Nab)
