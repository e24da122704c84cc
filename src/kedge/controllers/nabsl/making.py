"""Makes the copy of a Secret and the BackupStorageLocation, and keeps them up to date."""

import base64
import binascii
import logging
from dataclasses import dataclass
from typing import Final

import msgspec

from kedge.client import Client, Deletion
from kedge.client.patches import merge
from kedge.controllers.nabsl.credentials import credential_problem
from kedge.controllers.nabsl.decide import marked
from kedge.controllers.nabsl.heads import (
    LOCATIONS,
    SECRET_HEADS,
    SECRETS,
    Location,
    Nabsl,
    is_of,
    secret_name,
)
from kedge.controllers.nabsl.spec import velero_spec
from kedge.controllers.nabsl.status import Made, Saying, Type
from kedge.kube.conditions import find_condition
from kedge.kube.errors import AlreadyExists, BadRequest, Forbidden, Invalid, NotFound
from kedge.kube.foreign import cut
from kedge.kube.kind import Object
from kedge.kube.meta import ObjectMeta, Partial
from kedge.runtime import Cache, Key
from kedge.selfservice.change import change_to
from kedge.selfservice.conditions import FALSE, TRUE
from kedge.selfservice.marks import ADMIN_ASKED
from kedge.selfservice.policy import Enforced

logger = logging.getLogger(__name__)

COPIED_FROM: Final = "kedge.dev/copied-from"
"""On a copy of a Secret: the uid and the version of what it was copied from."""
SECRET_FAILED: Final = "SecretSyncFailed"
LOCATION_FAILED: Final = "BackupStorageLocationSyncError"
_NAMES: Final = {Type.SECRET: "Secret", Type.LOCATION: "BackupStorageLocation"}
REFUSALS: Final = (Invalid, Forbidden, BadRequest)
"""What does not get better by another try at once."""


class NotMade(Exception):
    """Something can not be made; says why, without a word of what a Secret holds."""


@dataclass(slots=True)
class Making:
    """Makes what a bucket of somebody's needs in the server's namespace."""

    client: Client
    home: str
    secrets: Cache[Partial]
    locations: Cache[Location]

    async def make(self, nabsl: Nabsl, spec: Object, enforced: Enforced, *, is_asked: bool) -> Made:
        """Bring both up to date; tell what came of it.

        `is_asked` tells whether an administrator has agreed, and not the server by itself.
        """
        is_there = self._copy(nabsl) is not None
        wanted = velero_spec(spec, enforced, nabsl.metadata.namespace, nabsl.nacuuid)
        try:
            reason = await self._secret(nabsl, spec, wanted)
        except NotMade as exc:
            secret = Saying(Type.SECRET, FALSE, SECRET_FAILED, str(exc))
            if not is_there:
                return Made((secret,), self.location(nabsl))
        else:
            secret = _synced(nabsl, Type.SECRET, reason, "the Secret with the credentials")
        try:
            meta = marked(nabsl, self.home, is_asked=is_asked)
            reason, location = await self._location(nabsl, wanted, meta)
        except NotMade as exc:
            failed = Saying(Type.LOCATION, FALSE, LOCATION_FAILED, str(exc))
            return Made((secret, failed), self.location(nabsl))
        told = _synced(nabsl, Type.LOCATION, reason, "the BackupStorageLocation")
        return Made((secret, told), location)

    def is_there(self, nabsl: Nabsl) -> bool:
        """Tell whether anything of it is there."""
        return self.location(nabsl) is not None or self._copy(nabsl) is not None

    def location(self, nabsl: Nabsl) -> Location | None:
        """Give the BackupStorageLocation of a user's location, as the cache has it."""
        found = self.locations.get(Key(self.home, nabsl.nacuuid))
        return found if found is not None and is_of(found.metadata, nabsl) else None

    async def has_source(self, nabsl: Nabsl, spec: Object) -> bool:
        """Tell whether there is the Secret that a bucket needs; the cache may be late."""
        place = Key(nabsl.metadata.namespace, secret_name(spec))
        if place in self.secrets:
            return True
        try:
            await self.client.get(SECRET_HEADS, place.name, place.namespace)
        except (NotFound, ValueError):
            return False
        return True

    def _copy(self, nabsl: Nabsl) -> Partial | None:
        found = self.secrets.get(Key(self.home, nabsl.nacuuid))
        return found if found is not None and is_of(found.metadata, nabsl) else None

    async def _secret(self, nabsl: Nabsl, spec: Object, wanted: Object) -> str:
        """Copy the Secret; give the reason to tell, empty: the copy is as it should be."""
        place = Key(nabsl.metadata.namespace, secret_name(spec))
        source, copy = self.secrets.entry(place), self._copy(nabsl)
        noted = ((copy.metadata.annotations if copy else None) or {}).get(COPIED_FROM)
        if source is not None and noted == f"{source.meta.uid}/{source.meta.resource_version}":
            return ""
        found = await self._source(place)
        _check(found, spec, wanted)
        new = _copied(found, marked(nabsl, self.home))
        if noted == new["metadata"]["annotations"][COPIED_FROM]:
            return ""
        try:
            return await self._write_copy(nabsl, new)
        except REFUSALS as exc:
            # A refusal may quote what it refuses.
            raise NotMade(f"the copy of the Secret is refused ({type(exc).__name__})") from None

    async def _source(self, place: Key) -> Object:
        try:
            return await self.client.get(SECRETS, place.name, place.namespace)
        except (NotFound, ValueError):
            text = f'BSL credentials secret not found: secrets "{cut(place.name)}" not found'
            raise NotMade(text) from None

    async def _write_copy(self, nabsl: Nabsl, wanted: Object) -> str:
        """Put a copy in the place of an older one; one of another type is made anew."""
        meta = wanted["metadata"]
        try:
            await self.client.create(SECRETS, wanted)
        except AlreadyExists:
            old = await self.client.get(SECRETS, meta["name"], self.home)
        else:
            return "SecretCreated"
        known = msgspec.convert(old["metadata"], ObjectMeta)
        if not is_of(known, nabsl):
            raise NotMade("there is a Secret of its name already, which is another's")
        if old.get("type") == wanted["type"]:
            bound = {"resourceVersion": known.resource_version, "uid": known.uid}
            await self.client.update(SECRETS, {**wanted, "metadata": {**meta, **bound}})
        else:
            deletion = Deletion(uid=known.uid)
            await self.client.delete(SECRETS, meta["name"], self.home, deletion)
            await self.client.create(SECRETS, wanted)
        return "SecretUpdated"

    async def _location(self, nabsl: Nabsl, wanted: Object, meta: Object) -> tuple[str, Location]:
        found = self.locations.get(Key(self.home, nabsl.nacuuid))
        try:
            if found is None:
                made = {"metadata": meta, "spec": wanted}
                try:
                    new = await self.client.create(LOCATIONS, msgspec.convert(made, Location))
                except AlreadyExists:
                    found = await self.client.get(LOCATIONS, nabsl.nacuuid, self.home)
                else:
                    return "BackupStorageLocationCreated", new
            if not is_of(found.metadata, nabsl):
                raise NotMade("there is a BackupStorageLocation of its name, which is another's")
            change = change_to(found.spec, wanted)
            asked = meta["annotations"].get(ADMIN_ASKED)
            if not change and asked == (found.metadata.annotations or {}).get(ADMIN_ASKED):
                return "", found
            noted = {"uid": found.metadata.uid, "annotations": {ADMIN_ASKED: asked}}
            patch = merge({"metadata": noted, "spec": change})
            new = await self.client.patch(LOCATIONS, nabsl.nacuuid, patch, self.home)
        except REFUSALS as exc:
            raise NotMade(f"the BackupStorageLocation is refused: {cut(str(exc))}") from None
        return "BackupStorageLocationUpdated", new


def _synced(nabsl: Nabsl, kind: Type, reason: str, what: str) -> Saying:
    """Say that something is as it should be; how it came so is told until it changes."""
    known = find_condition(nabsl.conditions, kind) or {}
    if not reason:
        # Nothing was told yet: it was made in another life of ours.
        usual = f"{_NAMES[kind]}{'Updated' if known else 'Created'}"
        reason = str(known["reason"]) if known.get("status") == TRUE else usual
    return Saying(kind, TRUE, reason, f"{what} is up to date in the server's namespace")


def _check(secret: Object, spec: Object, wanted: Object) -> None:
    """Insist on credentials that the BackupStorageLocation as it is wanted can have."""
    key = str((spec.get("credential") or {}).get("key") or "")
    name = cut(secret_name(spec))
    value = (secret.get("data") or {}).get(key)
    if value is None:
        raise NotMade(f"the Secret {name} has no entry {cut(key)}")
    try:
        data = base64.b64decode(value)
    except (binascii.Error, ValueError):
        raise NotMade(f"the entry {cut(key)} of the Secret {name} is not base64") from None
    if problem := credential_problem(data, wanted):
        raise NotMade(f"the entry {cut(key)} of the Secret {name} can not be used: {problem}")


def _copied(secret: Object, meta: Object) -> Object:
    """Write the copy of a Secret: what it is and what it holds, no labels and no annotations."""
    source = secret["metadata"]
    note = {COPIED_FROM: f"{source['uid']}/{source['resourceVersion']}"}
    return {
        "metadata": {**meta, "annotations": {**meta["annotations"], **note}},
        "type": secret.get("type") or "Opaque",
        "data": secret.get("data") or {},
    }
