"""Objects of which nothing is left out: as they are read, so they can be put back."""

from collections.abc import Mapping
from typing import Any, ClassVar

import msgspec

from kedge.kube.conditions import find_condition, is_condition
from kedge.kube.kind import Object
from kedge.kube.meta import ObjectMeta
from kedge.selfservice.conditions import ConditionType


class Whole(msgspec.Struct, frozen=True, omit_defaults=True):
    """An object without what the server keeps for itself; spec and status as they are."""

    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    spec: Object | None = None
    status: Object | None = None

    @property
    def place(self) -> tuple[str, str]:
        """Namespace and name."""
        return self.metadata.namespace, self.metadata.name

    @property
    def known(self) -> Object:
        """The status; none is empty."""
        return self.status or {}

    @property
    def is_leaving(self) -> bool:
        """Whether somebody deleted it."""
        return self.metadata.deletion_timestamp is not None


class Asked(Whole, frozen=True):
    """An object by which people ask for something, and that goes when we let it."""

    finalizer: ClassVar[str]

    @property
    def phase(self) -> str:
        """The phase; empty: the object is new to us."""
        return str(self.known.get("phase") or "")

    @property
    def conditions(self) -> list[Object]:
        """The conditions."""
        return list(self.known.get("conditions") or ())

    @property
    def is_queued(self) -> bool:
        """Whether Velero's object was made for it, and we have said so."""
        return is_condition(self.conditions, ConditionType.QUEUED)

    @property
    def has_finalizer(self) -> bool:
        """Whether it waits for us before it goes."""
        return self.finalizer in (self.metadata.finalizers or ())

    def accepted(self) -> Mapping[str, Any]:
        """Give the condition that tells whether the spec was accepted."""
        return find_condition(self.conditions, ConditionType.ACCEPTED) or {}
