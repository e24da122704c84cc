"""Whose bucket a Velero Backup is kept in: what its marks say is worth no more than that. Pure.

A server copies what it finds in a bucket into its own namespace, marks and all. So who has a bucket
can have a Backup there that names anybody as its origin: only its location tells where it is from.
"""

from collections.abc import Callable
from dataclasses import dataclass

from kedge.kube.meta import ObjectMeta
from kedge.selfservice.marks import NABSL, is_marked, origin_of


def is_for(namespace: str, location: ObjectMeta) -> bool:
    """Tell whether a location is of a namespace, or the administrator's and so for all."""
    labels, annotations = location.labels, location.annotations
    if not is_marked(NABSL, labels, annotations):
        return True
    origin = origin_of(NABSL, labels, annotations)
    return origin is not None and (origin.namespace, origin.nacuuid) == (namespace, location.name)


@dataclass(frozen=True, slots=True)
class Buckets:
    """The BackupStorageLocations that there are."""

    find: Callable[[str], ObjectMeta | None]
    """Gives one by its name, such as from a cache."""

    def holds(self, location: str, namespace: str, *, is_proven: bool) -> bool:
        """Tell whether what is kept in a location can be of a namespace.

        A location that is gone tells nothing: then it is to be proven in another way.
        """
        if not location:
            return True  # it was made here, and not found in a bucket
        found = self.find(location)
        return is_proven if found is None else is_for(namespace, found)
