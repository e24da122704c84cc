"""Delete: at once, gracefully, or after finalizers; one object or a collection."""

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from kedge.apiserver.call import Call
from kedge.apiserver.codec import Codec
from kedge.apiserver.forms import Forms, Found
from kedge.apiserver.http.query import Query, check_dry_run, list_options
from kedge.apiserver.http.reply import Reply, json_reply
from kedge.apiserver.resource import Object, Resource
from kedge.apiserver.verbs.list import List
from kedge.apiserver.verbs.writing import Writing
from kedge.kube.errors import Conflict, NotFound, conflict, invalid, named
from kedge.kube.fielderror import FieldError, not_supported
from kedge.kube.fielderror import invalid as invalid_field
from kedge.kube.times import format_time, parse_time
from kedge.store import Record

POLICIES = ("Foreground", "Background", "Orphan")
ORPHAN, FOREGROUND = "orphan", "foregroundDeletion"
TRIES = 10
PAGE = 10_000
"""How many objects a real server deletes of a collection at a time."""


@dataclass(slots=True)
class DeleteOptions:
    """How an object is deleted."""

    grace: int | None = None
    uid: str | None = None
    version: str | None = None
    policy: str | None = None
    orphan: bool | None = None
    dry_run: bool = False

    @staticmethod
    def of(body: Object, query: Query) -> "DeleteOptions":
        """Options from the body if there is one, else from the query; bad ones are refused."""
        if not body:
            body = _from_query(query)
        preconditions = body.get("preconditions") or {}
        options = DeleteOptions(
            body.get("gracePeriodSeconds"),
            preconditions.get("uid"),
            preconditions.get("resourceVersion"),
            body.get("propagationPolicy"),
            body.get("orphanDependents"),
            bool(body.get("dryRun")),
        )
        errors = options.problems(body.get("dryRun") or [])
        if errors:
            raise invalid("meta.k8s.io", "DeleteOptions", "", errors)
        return options

    def problems(self, dry_run: list[str]) -> list[FieldError]:
        """Give what is wrong with the options."""
        errors = []
        path, policy = "propagationPolicy", self.policy
        if self.orphan is not None and policy is not None:
            detail = "orphanDependents and deletionPropagation cannot be both set"
            errors.append(invalid_field(path, policy, detail))
        if policy is not None and policy not in POLICIES:
            errors.append(not_supported(path, policy, (*POLICIES, "nil")))
        return errors + check_dry_run(dry_run)


def _from_query(query: Query) -> Object:
    body: Object = {}
    if (grace := query.number("gracePeriodSeconds")) is not None:
        body["gracePeriodSeconds"] = grace
    if "propagationPolicy" in query.values:
        body["propagationPolicy"] = query.text("propagationPolicy")
    if (orphan := query.flag("orphanDependents")) is not None:
        body["orphanDependents"] = orphan
    if "dryRun" in query.values:
        body["dryRun"] = list(query.values["dryRun"])
    # Go's query decoder looks into structs within structs.
    names = [name for name in ("uid", "resourceVersion") if name in query.values]
    if names:
        body["preconditions"] = {name: query.text(name) for name in names}
    return body


@dataclass(slots=True)
class Deleted:
    """What a deletion did: the object's last state, and whether it is gone."""

    obj: Object
    gone: bool


class Delete:
    """Answers DELETE of one object."""

    def __init__(self, writing: Writing, codec: Codec, forms: Forms) -> None:
        """Write through `writing`."""
        self.writing = writing
        self.codec = codec
        self.forms = forms

    async def __call__(self, call: Call) -> Reply:
        """Delete the object, or mark it."""
        said = await self.codec.aside(call.weight, self.codec.delete_options, call)
        options = DeleteOptions.of(said, call.query)
        warn_of_orphans(call, options)
        done = await self.delete(call, call.name, options)
        code = 202 if not done.gone and options.orphan is False else 200
        if not done.gone or call.resource.strategy.returns_deleted:
            return self.forms.one_object(call, code, done.obj)
        return json_reply(code, success(call.resource, done.obj))

    async def delete(self, call: Call, name: str, options: DeleteOptions) -> Deleted:
        """Delete one object by name."""
        objects, resource = self.writing.objects, call.resource
        call.name = name
        self.writing.gate.admit_delete(call)
        for attempt in range(TRIES):
            record = self.writing.find(call)
            obj = objects.load(resource, record)
            check_preconditions(resource, obj, options)
            try:
                return await self._step(call, obj, record, options)
            except Conflict:
                if attempt == TRIES - 1:
                    raise
        raise AssertionError

    async def _step(
        self, call: Call, obj: Object, record: Record, options: DeleteOptions
    ) -> Deleted:
        resource, meta = call.resource, obj["metadata"]
        before = dict(meta)
        graceful, pending = self._grace(resource, obj, options)
        if pending:
            return Deleted(obj, gone=False)
        finalizers = finalizers_for(resource, meta, options)
        changed = set(finalizers) != set(meta.get("finalizers") or [])
        if changed:
            _set_finalizers(meta, finalizers)
        if not graceful and finalizers:
            self._mark(meta)
        held = resource.strategy.hold_deletion(obj, self.writing.now())
        if finalizers or graceful or held:
            if not options.dry_run and (held or meta != before):
                record = await self.writing.objects.replace(resource, obj, record)
            if finalizers or held or meta.get("deletionGracePeriodSeconds"):
                return Deleted(obj, gone=False)
        if not options.dry_run:
            await self.writing.objects.remove(resource, obj, record)
        return Deleted(obj, gone=True)

    def _mark(self, meta: Object) -> None:
        """Tell finalizers that it is their turn."""
        now = self.writing.clock.now()
        if "deletionTimestamp" not in meta and meta.get("generation"):
            meta["generation"] += 1
        stamp = meta.get("deletionTimestamp")
        if stamp is None or parse_time(stamp) > now:
            meta["deletionTimestamp"] = format_time(now)
        meta["deletionGracePeriodSeconds"] = 0

    def _grace(self, resource: Resource, obj: Object, options: DeleteOptions) -> tuple[bool, bool]:
        """Whether this is (a step of) a graceful deletion, and whether one is already under way."""
        meta = obj["metadata"]
        asked = options.grace if options.grace is None or options.grace >= 0 else 1
        seconds = resource.strategy.grace_seconds(obj, asked)
        if seconds is None:
            return False, False
        now = self.writing.clock.now()
        if "deletionTimestamp" in meta:
            left = meta.get("deletionGracePeriodSeconds")
            if not left:
                return False, False
            if asked is None or asked >= left:
                return False, True
            stamp = parse_time(meta["deletionTimestamp"]) + timedelta(seconds=asked - left)
            if stamp < now:
                stamp, asked = now, 1 if asked else 0
            meta["deletionTimestamp"] = format_time(stamp)
            meta["deletionGracePeriodSeconds"] = asked
            return True, False
        meta["deletionTimestamp"] = format_time(now + timedelta(seconds=seconds))
        meta["deletionGracePeriodSeconds"] = seconds
        if meta.get("generation"):
            meta["generation"] += 1
        return True, False


class DeleteCollection:
    """Answers DELETE of a collection."""

    def __init__(self, delete: Delete, listing: List) -> None:
        """List what is meant, then delete one by one."""
        self.one = delete
        self.list = listing

    async def __call__(self, call: Call) -> Reply:
        """Delete what the selectors choose; the answer lists it as it was."""
        selection = list_options(call.query, watch=False)
        codec = self.one.codec
        said = await codec.aside(call.weight, codec.delete_options, call)
        options = DeleteOptions.of(said, call.query)
        warn_of_orphans(call, options)
        if selection.revision and not selection.match and not selection.limit:
            # A real server pages, and a page is of an exact revision.
            selection = replace(selection, limit=PAGE)
        found = await self.list.find(call.resource, call.namespace, selection)
        for record in found.records:
            one = self._call_for(call, record)
            try:
                await self.one.delete(one, one.name, options)
            except NotFound:
                continue
        return self.one.forms.collection(
            call, Found(found.records, found.revision, found.token, found.remaining)
        )

    def _call_for(self, call: Call, record: Record) -> Call:
        namespace, _, name = record.key.removeprefix(call.resource.prefix).rpartition("/")
        return Call(
            "delete",
            call.resource,
            namespace,
            name,
            "",
            call.query,
            call.accept,
            call.user,
            warnings=call.warnings,
        )


def warn_of_orphans(call: Call, options: DeleteOptions) -> None:
    """Warn where dependents stay because nothing else was asked for."""
    warning = call.resource.strategy.orphan_warning
    if warning and options.policy is None and options.orphan is None:
        call.warn(warning)


def check_preconditions(resource: Resource, obj: Object, options: DeleteOptions) -> None:
    """Refuse an object that is not the one that is meant."""
    meta = obj["metadata"]
    if resource.strategy.holds_deletion:
        for name, wanted in (("uid", options.uid), ("resourceVersion", options.version)):
            if wanted is not None and wanted != meta.get(name):
                word = "UID" if name == "uid" else "ResourceVersion"
                why = (
                    f"Precondition failed: {word} in precondition: {wanted}, "
                    f"{word} in object meta: {meta.get(name)}"
                )
                raise conflict(resource.group, resource.plural, meta["name"], why)
        return
    if options.uid is not None and options.uid != meta.get("uid"):
        why = (
            f"the UID in the precondition ({options.uid}) does not match "
            f"the UID in record ({meta.get('uid')}). "
            "The object might have been deleted and then recreated"
        )
        raise conflict(resource.kind_group, resource.kind, meta["name"], why)
    version = meta.get("resourceVersion")
    if options.version is not None and options.version != version:
        why = (
            f"the ResourceVersion in the precondition ({options.version}) does not match "
            f"the ResourceVersion in record ({version}). The object might have been modified"
        )
        raise conflict(resource.kind_group, resource.kind, meta["name"], why)


def finalizers_for(resource: Resource, meta: Object, options: DeleteOptions) -> list[str]:
    """Give a deleted object's finalizers: its own, and the collector's by policy."""
    given = meta.get("finalizers") or []
    if not resource.strategy.collectable:
        return list(given)
    finalizers = [one for one in given if one not in {ORPHAN, FOREGROUND}]
    policy = options.policy
    if options.orphan is not None:
        policy = "Orphan" if options.orphan else "Background"
    if policy is None:
        if ORPHAN in given:
            policy = "Orphan"
        elif FOREGROUND in given:
            policy = "Foreground"
        elif resource.strategy.orphans_by_default:
            policy = "Orphan"
    if policy == "Orphan":
        finalizers.append(ORPHAN)
    elif policy == "Foreground":
        finalizers.append(FOREGROUND)
    return finalizers


def _set_finalizers(meta: Object, finalizers: list[str]) -> None:
    if finalizers:
        meta["finalizers"] = finalizers
    else:
        meta.pop("finalizers", None)


def success(resource: Resource, obj: Object) -> dict[str, Any]:
    """Give the Status of a deletion."""
    details = named(resource.group, resource.plural, obj["metadata"]["name"])
    details["uid"] = obj["metadata"].get("uid", "")
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": details,
    }
