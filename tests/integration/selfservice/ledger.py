"""What people asked for and what became of it: whatever happens, these laws hold."""

from collections import defaultdict
from dataclasses import dataclass, field

from kedge.kube.kind import Object
from kedge.testing.client import Event

RANKS = {"": 0, "New": 1, "BackingOff": 2, "Created": 3, "Deleting": 4}
DELETE, FORCE, PLAIN, STRIP = "delete", "force", "plain", "strip"
DONE = {"Completed", "PartiallyFailed", "Failed", "FailedValidation", "Deleting"}
WAITING = {"", "New", "Queued"}
UID = "kedge.dev/origin-uid"


STRANGER = {"stranger": "yes"}
"""On Backups that are nobody's, whatever they say."""


def is_stranger(one: Object | None) -> bool:
    """Tell whether a Backup is nobody's."""
    return one is not None and "stranger" in meta(one).get("labels", {})


def meta(one: Object) -> Object:
    found: Object = one["metadata"]
    return found


def origin_of(one: Object, kind: str) -> tuple[str, str]:
    """Give the namespace that an object names as its origin, and the uid."""
    notes = meta(one).get("annotations", {})
    return notes.get(f"openshift.io/oadp-{kind}-origin-namespace", ""), notes.get(UID, "")


@dataclass
class Ledger:
    """Follows all objects, and notes what breaks a law."""

    asked: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """By the uid of a request, the words that its owner has said about its end."""
    removed: set[str] = field(default_factory=set)
    """Velero objects that the administrator, or the engine by a request, has deleted."""
    strangers: dict[str, str] = field(default_factory=dict)
    """Uids of Backups that are nobody's, and their versions."""
    forged: set[str] = field(default_factory=set)
    """Uids of requests whose owner has written a status: what is told there is their own."""
    leaving: set[str] = field(default_factory=set)
    """Namespaces that are being deleted."""
    backups: dict[str, Object] = field(default_factory=dict)
    crashes: int = 0
    """How often the controllers have ended; they always do so without a last word."""
    faults: list[str] = field(default_factory=list)
    _phases: dict[str, str] = field(default_factory=dict)
    _made: dict[tuple[str, str], int] = field(default_factory=dict)
    """By kind and request, how many crashes there were before it was made."""
    _unsaid: set[tuple[str, str]] = field(default_factory=set)
    """Those that were deleted before their request said that they were made."""
    _seen: set[str] = field(default_factory=set)

    def hear(self, kind: str, event: Event) -> None:
        """Take in an event of a watch."""
        if event.type == "BOOKMARK":
            return
        one = event.object
        match kind:
            case "nonadminbackups" | "nonadminrestores":
                self._request(kind, event.type, one)
            case "backups":
                self._backup(event.type, one)
            case "deletebackuprequests" if event.type == "ADDED":
                self._deletion(one)
            case "restores":
                self._restore(event.type, one)

    def _request(self, kind: str, what: str, one: Object) -> None:
        uid, phase = meta(one)["uid"], one.get("status", {}).get("phase", "")
        for each, word in (("deleteBackup", DELETE), ("forceDeleteBackup", FORCE)):
            if one.get("spec", {}).get(each):
                self.asked[uid].add(word)
        before = self._phases.get(uid, "")
        if RANKS[phase] < RANKS[before] and uid not in self.forged:
            self._fault(f"{kind} {_place(one)} went back from {before} to {phase}")
        self._phases[uid] = phase
        if what != "DELETED":
            return
        asked, name = self.asked[uid], one.get("status", {}).get("veleroBackup", {}).get("name")
        if not asked and meta(one)["namespace"] not in self.leaving:
            self._fault(f"{kind} {_place(one)} is gone, and nobody wanted that")
        is_kept = name in self.backups and name not in self.removed
        is_kept = is_kept and not is_stranger(self.backups[name])
        is_own = is_kept and origin_of(self.backups[name], "nab")[1] == uid
        is_loyal = uid not in self.forged and meta(one)["namespace"] not in self.leaving
        if kind == "nonadminbackups" and asked == {PLAIN} and is_own and is_loyal:
            self._fault(f"{_place(one)} is gone by a plain deletion, though it has a backup")

    def _backup(self, what: str, one: Object) -> None:
        name, (_, uid) = meta(one)["name"], origin_of(one, "nab")
        if what == "DELETED":
            self.backups.pop(name, None)
            self._lose("Backup", one, uid)
            is_forced = bool(uid) and FORCE in self.asked[uid] and not is_stranger(one)
            if name not in self.removed and not is_forced:
                self._fault(f"the Backup {name} was deleted, and nobody wanted that")
            self.removed.discard(name)
            return
        self.backups[name] = one
        self._once("Backup", one, uid)

    def _restore(self, what: str, one: Object) -> None:
        name, (namespace, uid) = meta(one)["name"], origin_of(one, "nar")
        if what == "DELETED":
            self._lose("Restore", one, uid)
            is_asked = PLAIN in self.asked[uid] or namespace in self.leaving
            if name not in self.removed and not is_asked:
                self._fault(f"the Restore {name} was deleted, and nobody wanted that")
        else:
            self._once("Restore", one, uid)
            if one["spec"].get("includedNamespaces") != [namespace]:
                self._fault(f"the Restore {name} reaches out of {namespace}")
            backup = self.backups.get(one["spec"]["backupName"])
            # A stranger may take the place of theirs later, and watches have no common order.
            is_late = backup is not None and _version(backup) > _version(one)
            if what == "ADDED" and is_stranger(backup) and not is_late:
                self._fault(f"the Restore {name} is from a backup that is not theirs")

    def _deletion(self, one: Object) -> None:
        name = one["spec"]["backupName"]
        backup = self.backups.get(name)
        uid = origin_of(one, "nab")[1]
        if is_stranger(backup):
            self._fault(f"the Backup {name} is to be deleted, and is not theirs")
        elif DELETE not in self.asked[uid]:
            self._fault(f"the Backup {name} is to be deleted, and nobody wanted that")
        elif backup is not None and _named(backup) != _named(one):
            self._fault(f"the Backup {name} is to be deleted for somebody else")

    def _once(self, kind: str, one: Object, uid: str) -> None:
        """Take note of what was made for a request; twice is once too often.

        Unless its maker crashed before it could say so, and it was deleted: who comes after that
        finds nothing that tells of it.
        """
        if is_stranger(one) or not uid or meta(one)["uid"] in self._seen:
            return
        self._seen.add(meta(one)["uid"])
        before = self._made.get((kind, uid))
        is_unknowable = (kind, uid) in self._unsaid and before != self.crashes
        self._made[kind, uid] = self.crashes
        self._unsaid.discard((kind, uid))
        if before is not None and not is_unknowable and uid not in self.forged:
            self._fault(f"the {kind} {meta(one)['name']} is the second one for its request")

    def _lose(self, kind: str, one: Object, uid: str) -> None:
        if not is_stranger(one) and RANKS[self._phases.get(uid, "")] < RANKS["Created"]:
            self._unsaid.add((kind, uid))

    def _fault(self, text: str) -> None:
        self.faults.append(text)


def _named(one: Object) -> tuple[str, str]:
    """Give whom a Velero object names; a namesake that was made for it later may have it."""
    notes = meta(one).get("annotations", {})
    found = (
        notes.get(f"openshift.io/oadp-nab-origin-{part}", "") for part in ("namespace", "name")
    )
    return next(found), next(found)


def _place(one: Object) -> str:
    return f"{meta(one)['namespace']}/{meta(one)['name']}"


def positions(objects: list[Object]) -> dict[str, int]:
    """Say where each Velero object stands: counted anew, in the simplest way."""

    def phase(one: Object) -> str:
        return str(one.get("status", {}).get("phase", ""))

    def is_done(one: Object) -> bool:
        return phase(one) in DONE or bool(one.get("status", {}).get("completionTimestamp"))

    running = [one for one in objects if phase(one) == "InProgress" and not is_done(one)]
    waiting = [
        one
        for one in objects
        if phase(one) in WAITING and not is_done(one) and "deletionTimestamp" not in meta(one)
    ]
    waiting.sort(key=lambda one: (meta(one)["creationTimestamp"], _version(one)))
    found = {meta(one)["name"]: 0 for one in objects}
    found |= {meta(one)["name"]: 1 for one in running}
    ranks = enumerate(waiting, 1 + len(running))
    return found | {meta(one)["name"]: place for place, one in ranks}


def _version(one: Object) -> int:
    return int(meta(one)["resourceVersion"])
