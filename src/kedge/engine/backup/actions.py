"""What happens to an object of some kinds when it is saved."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import msgspec

from kedge.api.velero.labels import BACKUP_VOLUMES
from kedge.archive.item import Place
from kedge.engine.backup.items import Meta
from kedge.engine.backup.relations import (
    ACCOUNTS,
    CLAIMS,
    POD,
    PODS,
    VOLUMES,
    decode,
    is_bound,
    trim,
)
from kedge.engine.backup.saved import key_of
from kedge.engine.backup.volumes import Volumes

Action = Callable[[bytes, Meta], bytes]
"""Looks at an object that is about to be saved, and gives what is saved in its place."""


@dataclass
class Actions:
    """Looks at pods, claims, volumes and service accounts."""

    backup: str
    volumes: Volumes
    need: Callable[[Iterable[Place]], None]
    """Takes what an object needs beside itself."""
    accounts: set[tuple[str, str]] = field(default_factory=set)
    """Service accounts that were saved: their bindings may be needed."""

    def by_resource(self) -> dict[str, Action]:
        """Give the actions by the resource that they are for."""
        return {
            PODS: self.pod,
            CLAIMS: self.claim,
            VOLUMES: self.volume,
            ACCOUNTS: self.account,
        }

    def pod(self, data: bytes, meta: Meta) -> bytes:
        """Ask for the claims and the priority of a pod."""
        pod = POD.decode(data)
        if (pod.metadata.annotations or {}).get(BACKUP_VOLUMES):
            self.volumes.asking_pods += 1
        self.need(pod.needs())
        return data

    def claim(self, data: bytes, meta: Meta) -> bytes:
        """Ask for the volume of a claim, and take out what binds it to the present one."""
        claim = decode(data)
        self.volumes.add_claim(key_of(meta.namespace, meta.name), claim)
        if not is_bound(claim):
            return data
        self.need([Place(VOLUMES, "", str(claim["spec"]["volumeName"]))])
        return msgspec.json.encode(claim) if trim(claim, self.backup) else data

    def volume(self, data: bytes, meta: Meta) -> bytes:
        """Remember a volume."""
        self.volumes.add_volume(meta.name, decode(data))
        return data

    def account(self, data: bytes, meta: Meta) -> bytes:
        """Remember a service account."""
        self.accounts.add((meta.namespace, meta.name))
        return data
