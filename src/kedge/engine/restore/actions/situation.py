"""What actions know beyond the object that they change."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from kedge.api.velero.restore import RestoreSpec


@dataclass(frozen=True, slots=True)
class Situation:
    """Facts about one restore, found out before an action is asked."""

    spec: RestoreSpec
    images: tuple[tuple[str, str], ...] = ()
    """Parts of the names of images, and what takes their place; the first that fits is taken."""
    classes: Mapping[str, str] = field(default_factory=dict)
    """Storage classes, and those that take their place."""
    runs_hooks: bool = True
    """Whether containers are put before those of a pod."""
    accounts: frozenset[str] = frozenset()
    """The service accounts of the namespace into which the object goes."""

    @property
    def mapping(self) -> Mapping[str, str]:
        """Namespaces, and those into which their objects go."""
        return self.spec.namespace_mapping or {}
