"""What becomes of volumes: they are saved as objects, and their data is not."""

from dataclasses import dataclass, field
from typing import Final

from kedge.api.velero.backup import BackupSpec
from kedge.engine.backup.policies import Claim, Policies, Volume, VolumeAction
from kedge.engine.backup.relations import is_bound
from kedge.kube.kind import Object

SHOWN: Final = 5
"""So many claims are named in a warning."""
NOT_SAVED: Final = "Kedge saves volumes as objects, their data it does not save yet"
NOT_ASKED: Final = "not satisfy the criteria for VolumePolicy or the legacy snapshot way"
SKIPPED: Final = "matched action is 'skip' in chosen resource policies"


@dataclass(frozen=True, slots=True)
class KeptClaim:
    """What is kept of a claim that was saved."""

    volume: str
    """The name of its volume; empty if it has none."""
    facts: Claim


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept of a volume that was saved."""

    claim: str
    """`namespace/name`; empty if it has none."""
    reclaim_policy: str
    labels: dict[str, str]
    facts: Volume


@dataclass
class Volumes:
    """Remembers claims and volumes, and tells at the end what of them is not saved."""

    spec: BackupSpec
    policies: Policies | None
    claims: dict[str, KeptClaim] = field(default_factory=dict)
    kept: dict[str, Kept] = field(default_factory=dict)
    asking_pods: int = 0
    """Pods whose annotation asks for the files of their volumes."""

    def add_claim(self, key: str, claim: Object) -> None:
        """Remember a claim."""
        volume = (claim.get("spec") or {}).get("volumeName") or ""
        name = volume if is_bound(claim) else ""
        self.claims[key] = KeptClaim(name, Claim.of(claim))

    def add_volume(self, name: str, volume: Object) -> None:
        """Remember a volume."""
        spec, metadata = volume.get("spec") or {}, volume.get("metadata") or {}
        claim = spec.get("claimRef") or {}
        key = f"{claim['namespace']}/{claim['name']}" if claim.get("name") else ""
        self.kept[name] = Kept(
            key,
            spec.get("persistentVolumeReclaimPolicy") or "",
            metadata.get("labels") or {},
            Volume.of(volume),
        )

    def action(self, claim: KeptClaim | None, kept: Kept | None) -> VolumeAction | None:
        """Find what the policies say about a volume, or about a claim without one."""
        if self.policies is None:
            return None
        return self.policies.action(kept.facts if kept else None, claim.facts if claim else None)

    def reason(self, action: VolumeAction | None) -> str:
        """Say why the data of a volume is not saved."""
        if action == VolumeAction.SKIP:
            return SKIPPED
        return NOT_SAVED if self._is_asked(action) else NOT_ASKED

    def _is_asked(self, action: VolumeAction | None) -> bool:
        if action is not None:
            return action != VolumeAction.SKIP
        files = self.spec.default_volumes_to_fs_backup or self.spec.default_volumes_to_restic
        return self.spec.snapshot_volumes is not False or bool(files)

    def warnings(self) -> list[str]:
        """Say what of the volumes is not saved, although it is asked for."""
        found = []
        asked = [key for key, claim in sorted(self.claims.items()) if self._is_missed(claim)]
        if asked:
            found.append(_warning(asked))
        if self.asking_pods:
            found.append(
                f"{self.asking_pods} pods ask by annotation for the files of their volumes to be "
                "saved: the files are not in the backup, Kedge does not save them yet"
            )
        return found

    def _is_missed(self, claim: KeptClaim) -> bool:
        return self._is_asked(self.action(claim, self.kept.get(claim.volume)))

    def infos(self) -> list[Object]:
        """Tell of each volume, for the file of volume infos."""
        found = []
        of_claims = {claim.volume: key for key, claim in self.claims.items() if claim.volume}
        for name in sorted(self.kept.keys() | of_claims.keys()):
            kept = self.kept.get(name)
            key = of_claims.get(name) or (kept.claim if kept else "")
            found.append(self._info(name, key, kept))
        return found

    def _info(self, name: str, key: str, kept: Kept | None) -> Object:
        namespace, _, claim = key.rpartition("/")
        info: Object = {"pvcName": claim, "pvcNamespace": namespace} if claim else {}
        info |= {
            "pvName": name,
            "snapshotDataMoved": False,
            "preserveLocalSnapshot": False,
            "skipped": True,
            "skippedReason": self.reason(self.action(self.claims.get(key), kept)),
        }
        if kept is not None:
            policy = {"reclaimPolicy": kept.reclaim_policy} if kept.reclaim_policy else {}
            info["pvInfo"] = {**policy, "labels": kept.labels} if kept.labels else policy
        return info


def _warning(claims: list[str]) -> str:
    shown = ", ".join(claims[:SHOWN])
    rest = f" and {len(claims) - SHOWN} more" if len(claims) > SHOWN else ""
    count = (
        "1 PersistentVolumeClaim" if len(claims) == 1 else f"{len(claims)} PersistentVolumeClaims"
    )
    return (
        f"the data in the volumes of {count} is not saved, only the objects are: {shown}{rest}; "
        "set spec.snapshotVolumes to false for a backup without data"
    )
