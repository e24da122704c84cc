"""The marks by which Velero's objects and those of self-service find each other. Pure.

A mark on an object in the server's namespace names the object that it was made for. Tenants can not
write there, but they can bring such objects by a bucket: whoever deletes compares all of a mark.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from kedge.kube.names import is_label_value, subdomain_name

OADP: Final = "openshift.io/oadp"
OADP_VALUE: Final = "True"
MANAGED_BY: Final = "app.kubernetes.io/managed-by"
MANAGED_BY_VALUE: Final = "oadp-nac-controller"
COMMON: Final = {OADP: OADP_VALUE, MANAGED_BY: MANAGED_BY_VALUE}
"""On all that is made for self-service."""
SELECTOR: Final = ",".join(f"{key}={value}" for key, value in COMMON.items())
SYNCED_FROM: Final = "openshift.io/oadp-nab-synced-from-nacuuid"
"""On a NonAdminBackup that was made for a Velero Backup that is there already."""
ORIGIN_UID: Final = "kedge.dev/origin-uid"
"""Next to the mark: the uid of the object, so that a later namesake is told apart."""

ADMIN_ASKED: Final = "kedge.dev/administrator-asked"
"""On a request for a bucket, and on its location: the server did not agree to it by itself."""
ADMIN_ASKED_VALUE: Final = "true"

NAB_FINALIZER: Final = "nonadminbackup.oadp.openshift.io/finalizer"
NAR_FINALIZER: Final = "nonadminrestore.oadp.openshift.io/finalizer"
NABSL_FINALIZER: Final = "nonadminbackupstoragelocation.oadp.openshift.io/finalizer"

NACUUID_LIMIT: Final = 63
TEXT_LIMIT: Final = 253
"""The longest name of an object."""

Texts = Mapping[str, str] | None


class Mark(NamedTuple):
    """The names under which one kind of origin is noted."""

    kind: str
    nacuuid: str
    """The label with the unique name."""
    name: str
    """The annotation with the name of the object."""
    namespace: str
    """The annotation with the namespace of the object."""


def _mark(kind: str) -> Mark:
    prefix = f"{OADP}-{kind}-origin"
    return Mark(kind, f"{prefix}-nacuuid", f"{prefix}-name", f"{prefix}-namespace")


NAB: Final = _mark("nab")
NAR: Final = _mark("nar")
NABSL: Final = _mark("nabsl")
NADR: Final = _mark("nadr")


@dataclass(frozen=True, slots=True)
class Origin:
    """The object that another one was made for."""

    namespace: str
    name: str
    nacuuid: str
    uid: str = ""
    """Empty where it was not noted."""

    def is_of(self, namespace: str, name: str, nacuuid: str, uid: str = "") -> bool:
        """Tell whether this is the object that is meant; uids count where both are known."""
        is_same = (self.namespace, self.name, self.nacuuid) == (namespace, name, nacuuid)
        return is_same and (not uid or not self.uid or self.uid == uid)


def labels_for(mark: Mark, nacuuid: str) -> dict[str, str]:
    """Give the labels of what is made for an object."""
    return {**COMMON, mark.nacuuid: nacuuid}


def annotations_for(mark: Mark, namespace: str, name: str, uid: str = "") -> dict[str, str]:
    """Give the annotations of what is made for an object."""
    noted = {mark.namespace: namespace, mark.name: name}
    return noted | ({ORIGIN_UID: uid} if uid else {})


def origin_of(mark: Mark, labels: Texts, annotations: Texts) -> Origin | None:
    """Read what an object was made for; None where the mark is not whole."""
    labels, annotations = labels or {}, annotations or {}
    if any(labels.get(key) != value for key, value in COMMON.items()):
        return None
    origin = Origin(
        annotations.get(mark.namespace, ""),
        annotations.get(mark.name, ""),
        labels.get(mark.nacuuid, ""),
        annotations.get(ORIGIN_UID, ""),
    )
    texts = (origin.namespace, origin.name, origin.nacuuid)
    return origin if all(0 < len(text) <= TEXT_LIMIT for text in texts) else None


def is_marked(mark: Mark, labels: Texts, annotations: Texts) -> bool:
    """Tell whether an object bears any part of a mark, though it may not be whole."""
    noted = (annotations or {}).keys() & {mark.namespace, mark.name}
    return bool(noted) or mark.nacuuid in (labels or {})


def is_asked(annotations: Texts) -> bool:
    """Tell whether an administrator was asked for a bucket."""
    return (annotations or {}).get(ADMIN_ASKED) == ADMIN_ASKED_VALUE


def synced_from(labels: Texts) -> str:
    """Give the nacuuid that a NonAdminBackup says it was synced from; empty: it does not."""
    return (labels or {}).get(SYNCED_FROM, "")


@lru_cache(maxsize=1024)
def is_nacuuid(text: str) -> bool:
    """Tell whether a text can be the name, and the label, of what is made for an object."""
    fits = 0 < len(text) <= NACUUID_LIMIT
    return fits and not subdomain_name(text) and is_label_value(text)
