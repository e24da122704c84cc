"""People, an administrator and an engine who do whatever comes to their minds."""

import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from kedge.kube.errors import ApiError, NotFound
from kedge.kube.kind import Object
from kedge.testing import Client, FakeClock
from tests.integration.selfservice.ledger import (
    DELETE,
    FORCE,
    PLAIN,
    STRANGER,
    STRIP,
    Ledger,
    is_stranger,
    meta,
)
from tests.integration.selfservice.quay import (
    BACKUPS,
    CONFIGS,
    HOME,
    LOCATIONS,
    OTHER,
    POLICY,
    RESTORES,
    SYNCED,
    TENANT,
    marks,
    own,
)

SPACES = (TENANT, OTHER)
NAMES = ("a", "b", "c", "d", "e")
THEIRS = "rival-bucket-0d0b7b2c-ee76-412d-a867-2c23b8aa51ab"
REQUESTS = f"/apis/velero.io/v1/namespaces/{HOME}/deletebackuprequests"
GOOD: tuple[Object, ...] = ({}, {"ttl": "1h0m0s"}, {"includedResources": ["configmaps"]})
BAD: tuple[Object, ...] = (
    {"includedNamespaces": [HOME]},
    {"includeClusterResources": True},
    {"storageLocation": THEIRS},
)
POLICIES: tuple[Object, ...] = (
    {},
    {},
    {},
    {"enforceBackupSpec": "{snapshotVolumes: false}"},
    {"enforceBackupSpec": "{ttl: 2h}"},
    {"enforceBackupSpec": "{"},
)
FORGED = "this is not theirs"
ENDS = ("Completed", "Failed", "PartiallyFailed", "FailedValidation")


@dataclass
class Crowd:
    """Does one thing after the other, and says so in the ledger before."""

    admin: Client
    clock: FakeClock
    dice: random.Random
    ledger: Ledger
    count: int = 0
    deeds: list[str] = field(default_factory=list)

    async def act(self) -> None:
        """Do something; what the server refuses was worth a try."""
        deed = self.dice.choices(DEEDS, WEIGHTS)[0]
        self.deeds.append(deed.__name__)
        with suppress(ApiError):
            await deed(self)

    async def prepare(self) -> None:
        """Make the bucket of a rival's, and objects that are nobody's."""
        spec = {"provider": "aws", "objectStorage": {"bucket": "x"}}
        location = {"metadata": {"name": THEIRS, **marks("nabsl", THEIRS, OTHER, "bucket")}}
        await self._make(LOCATIONS, "BackupStorageLocation", {**location, "spec": spec})

    async def ask(self) -> None:
        """Ask for a backup."""
        labels = {SYNCED: await self._any_name(BACKUPS)} if self._chance(0.15) else {}
        spec: Object = {"backupSpec": self.dice.choice(BAD if self._chance(0.2) else GOOD)}
        if self._chance(0.05):
            spec["deleteBackup"] = True
        made = await self._make(
            own("backups", self._space()),
            "NonAdminBackup",
            {"metadata": {"name": self.dice.choice(NAMES), "labels": labels}, "spec": spec},
        )
        if self._chance(0.1):
            await self._forge(own("backups", meta(made)["namespace"]), made, BACKUPS)

    async def ask_back(self) -> None:
        """Ask for a restore."""
        spec: Object = {"backupName": self.dice.choice(NAMES)}
        if self._chance(0.1):
            spec["namespaceMapping"] = {TENANT: HOME}
        made = await self._make(
            own("restores", self._space()),
            "NonAdminRestore",
            {"metadata": {"name": self.dice.choice(NAMES)}, "spec": {"restoreSpec": spec}},
        )
        if self._chance(0.1):
            await self._forge(own("restores", meta(made)["namespace"]), made, RESTORES)

    async def edit(self) -> None:
        """Change what is asked for."""
        path, _ = await self._any(own("backups", self._space()))
        spec = self.dice.choice(BAD if self._chance(0.4) else GOOD)
        await self.admin.patch(path, {"spec": {"backupSpec": spec}})

    async def label(self) -> None:
        """Claim to be made for the backup of anybody."""
        path, _ = await self._any(own("backups", self._space()))
        label = {SYNCED: await self._any_name(BACKUPS)}
        await self.admin.patch(path, {"metadata": {"labels": label}})

    async def delete(self) -> None:
        """Want the backup deleted."""
        await self._say(DELETE, {"deleteBackup": True})

    async def force(self) -> None:
        """Want it gone at once."""
        await self._say(FORCE, {"forceDeleteBackup": True, "deleteBackup": self._chance(0.3)})

    async def regret(self) -> None:
        """Take a word back."""
        path, _ = await self._any(own("backups", self._space()))
        await self.admin.patch(path, {"spec": {"deleteBackup": False}})

    async def drop(self) -> None:
        """Delete a request as kubectl does."""
        kind = self.dice.choice(("backups", "restores"))
        path, one = await self._any(own(kind, self._space()))
        self.ledger.asked[meta(one)["uid"]].add(PLAIN)
        await self.admin.delete(path)

    async def strip(self) -> None:
        """Take the finalizers off."""
        kind = self.dice.choice(("backups", "restores"))
        path, one = await self._any(own(kind, self._space()))
        self.ledger.asked[meta(one)["uid"]].add(STRIP)
        await self.admin.patch(path, {"metadata": {"finalizers": None}})

    async def work(self) -> None:
        """Begin with, or end, a backup or a restore."""
        path, one = await self._any(self.dice.choice((BACKUPS, RESTORES)))
        phase = one.get("status", {}).get("phase", "")
        if is_stranger(one) or phase in ENDS:
            return
        status: Object = {"phase": "InProgress", "progress": {"itemsBackedUp": self.count}}
        if phase == "InProgress" and self._chance(0.7):
            status = {"phase": self.dice.choice(ENDS)}
            if status["phase"] != "FailedValidation":
                status["completionTimestamp"] = self._now()
        await self.admin.patch(f"{path}/status", {"status": status})

    async def obey(self) -> None:
        """Do what a request to delete asks for, or fail."""
        path, one = await self._any(REQUESTS)
        if self._chance(0.3):
            failed = {"phase": "Processed", "errors": ["the bucket can not be reached"]}
            await self.admin.patch(f"{path}/status", {"status": failed})
            return
        name = one["spec"]["backupName"]
        self.ledger.removed.add(name)
        with suppress(NotFound):
            await self.admin.delete(f"{BACKUPS}/{name}")
        await self.admin.delete(path)

    async def purge(self) -> None:
        """Delete a Velero object, as an administrator may."""
        path, one = await self._any(self.dice.choice((BACKUPS, RESTORES)))
        self.ledger.removed.add(meta(one)["name"])
        await self.admin.delete(path)

    async def rule(self) -> None:
        """Write another policy."""
        made = {"metadata": {"name": POLICY}, "data": self.dice.choice(POLICIES)}
        with suppress(NotFound):
            await self.admin.delete(f"{CONFIGS}/{POLICY}")
        if made["data"]:
            await self._make(CONFIGS, "ConfigMap", made)

    async def stand_by(self) -> None:
        """Make a Velero Backup that is nobody's, or that a rival's bucket has brought."""
        self.count += 1
        name = f"{TENANT}-forged-{self.count}"
        _, victim = await self._any(own("backups", TENANT))
        forged = self._chance(0.7)
        if forged and self._chance(0.7):
            name = victim.get("status", {}).get("veleroBackup", {}).get("nacuuid", name)
        if name in self.ledger.backups:
            # It comes in the place of one that an administrator has deleted.
            self.ledger.removed.add(name)
            await self.admin.delete(f"{BACKUPS}/{name}")
        place, uid = meta(victim)["name"], meta(victim)["uid"]
        known = marks("nab", name, TENANT, place, uid) if forged else {"labels": {}}
        known["labels"] |= STRANGER
        spec = {"includedNamespaces": [TENANT], **({"storageLocation": THEIRS} if forged else {})}
        await self._make(BACKUPS, "Backup", {"metadata": {"name": name, **known}, "spec": spec})
        status = {"phase": "Completed", "completionTimestamp": self._now()}
        status["failureReason"] = FORGED if forged else ""
        done = await self.admin.patch(f"{BACKUPS}/{name}/status", {"status": status})
        self.ledger.strangers[meta(done)["uid"]] = meta(done)["resourceVersion"]

    async def wait(self) -> None:
        """Let time pass."""
        self.clock.advance(timedelta(seconds=self.dice.choice((1, 6, 40))))

    async def _say(self, word: str, spec: Object) -> None:
        path, one = await self._any(own("backups", self._space()))
        self.ledger.asked[meta(one)["uid"]].add(word)
        if spec.get("deleteBackup"):
            self.ledger.asked[meta(one)["uid"]].add(DELETE)
        await self.admin.patch(path, {"spec": spec})

    async def _forge(self, where: str, one: Object, whose: str) -> None:
        """Write a status that leads to a Velero object of anybody."""
        self.ledger.forged.add(meta(one)["uid"])
        name = await self._any_name(whose)
        field = "veleroBackup" if whose == BACKUPS else "veleroRestore"
        told = {"nacuuid": name, "name": name, "namespace": HOME}
        status = {"phase": self.dice.choice(("New", "Created")), field: told}
        await self.admin.patch(f"{where}/{meta(one)['name']}/status", {"status": status})

    async def _make(self, path: str, kind: str, made: Object) -> Object:
        group = {"ConfigMap": "v1"}.get(kind, "velero.io/v1")
        version = "oadp.openshift.io/v1alpha1" if kind.startswith("NonAdmin") else group
        return await self.admin.create(path, {"apiVersion": version, "kind": kind, **made})

    async def _any(self, path: str) -> tuple[str, Object]:
        found = (await self.admin.get(path))["items"]
        if not found:
            raise NotFound("there is none")
        one: Object = self.dice.choice(found)
        return f"{path}/{meta(one)['name']}", one

    async def _any_name(self, path: str) -> str:
        return str(meta((await self._any(path))[1])["name"])

    def _space(self) -> str:
        return self.dice.choice(SPACES)

    def _chance(self, of: float) -> bool:
        return self.dice.random() < of

    def _now(self) -> str:
        return self.clock.now().strftime("%Y-%m-%dT%H:%M:%SZ")


Deed = Callable[[Crowd], Awaitable[Any]]
ODDS: dict[Deed, int] = {
    Crowd.ask: 16,
    Crowd.ask_back: 6,
    Crowd.edit: 2,
    Crowd.label: 1,
    Crowd.delete: 3,
    Crowd.force: 2,
    Crowd.regret: 1,
    Crowd.drop: 6,
    Crowd.strip: 1,
    Crowd.work: 14,
    Crowd.obey: 5,
    Crowd.purge: 2,
    Crowd.rule: 1,
    Crowd.stand_by: 3,
    Crowd.wait: 4,
}
DEEDS, WEIGHTS = list(ODDS), list(ODDS.values())
