"""What every write does on its way to the store: metadata, owners, hooks, checks."""

import asyncio
import random
import uuid
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from weakref import WeakValueDictionary

from kedge.aio.clock import Clock
from kedge.apiserver.aside import BIG, Aside
from kedge.apiserver.call import Call
from kedge.apiserver.gate import Gate
from kedge.apiserver.http.query import APPLY, WriteOptions
from kedge.apiserver.objects import Objects, modified
from kedge.apiserver.resource import Context, Object, Resource
from kedge.apiserver.typed.empties import forget, put_back
from kedge.apiserver.verbs.ownership import of_known_versions, reset_of, versions_of
from kedge.apiserver.verbs.versions import LIMIT
from kedge.kube.apply import Manager, manager_name, settled, track
from kedge.kube.errors import (
    AlreadyExists,
    ApiError,
    BadRequest,
    UnknownError,
    already_exists,
    conflict,
    generated_name_exists,
    invalid,
    not_found,
)
from kedge.kube.fielderror import FieldError
from kedge.kube.fielderror import invalid as invalid_field
from kedge.kube.gotext import quote
from kedge.kube.metadata import validate_meta, validate_meta_update
from kedge.kube.names import generated_name, path_segment
from kedge.kube.owner import duplicates_warning, without_duplicates
from kedge.kube.times import format_time
from kedge.store import Record

SYSTEM = ("creationTimestamp", "uid", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink")
NAME_TRIES = 8
STANDARD_FINALIZERS = {"kubernetes", "orphan", "foregroundDeletion"}


@dataclass(slots=True)
class Written:
    """What a write left behind; without a record (dry run, last finalizer) nothing."""

    obj: Object
    record: Record | None
    created: bool = False


class Writing:
    """The way of an object into the store."""

    def __init__(self, objects: Objects, gate: Gate, clock: Clock, aside: Aside) -> None:
        """Write to these objects, through this gate, at this clock's time; do long work aside."""
        self.objects = objects
        self.gate = gate
        self.clock = clock
        self.aside = aside
        self.random = random.SystemRandom()
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def now(self) -> str:
        """Give the time as metadata writes it."""
        return format_time(self.clock.now())

    def manager(self, call: Call, options: WriteOptions) -> Manager:
        """Tell who owns the fields that this call sets."""
        resource = call.resource
        return Manager(
            manager_name(options.manager, call.agent),
            resource.api_version,
            call.subresource,
            resource.kind,
            reset_of(resource, call.subresource),
            versions=versions_of(resource, call.subresource),
        )

    def fit_namespace(self, call: Call, meta: Object) -> None:
        """Give the object the namespace of the request, or refuse another one."""
        wanted = call.namespace if call.resource.namespaced else ""
        given = meta.get("namespace", "")
        if given == wanted:
            return
        if given and wanted:
            raise BadRequest(
                "the namespace of the provided object does not match "
                "the namespace sent on the request"
            )
        if wanted:
            meta["namespace"] = wanted
        else:
            del meta["namespace"]

    async def create(self, call: Call, obj: Object, options: WriteOptions) -> Written:
        """Store a decoded, defaulted object as a new one. An applied one has its owners already."""
        meta = obj["metadata"]
        if call.verb == "create":
            for name in SYSTEM:
                meta.pop(name, None)
        self.fit_namespace(call, meta)
        await self.aside(call.weight, self._own, call, obj, options)
        try:
            return await self._store_new(call, obj, options)
        except ApiError:
            self.objects.remind(call.resource, meta)
            raise

    def _own(self, call: Call, obj: Object, options: WriteOptions) -> None:
        unique_owners(call, obj["metadata"])
        if call.verb != "patch":
            self.track(call, None, obj, options)

    def track(self, call: Call, old: Object | None, new: Object, options: WriteOptions) -> None:
        """Give the changed fields to whoever sent them."""
        schema, manager = call.resource.schema, self.manager(call, options)
        if call.empties and any(key == "managedFields" for _, key, _ in call.empties):
            new["metadata"]["managedFields"] = []  # asks to forget who owns what
        given = new["metadata"].get("managedFields")
        managed = track(None, old, new, schema, manager, self.now())
        if given and not call.resource.custom:
            managed = of_known_versions(call.resource, managed)
        if managed:
            new["metadata"]["managedFields"] = managed
        else:
            new["metadata"].pop("managedFields", None)

    async def _store_new(self, call: Call, obj: Object, options: WriteOptions) -> Written:
        resource, meta = call.resource, obj["metadata"]
        await self.gate.admit_create(call, obj)
        self.gate.check_new(call, obj)
        meta["creationTimestamp"] = self.now()
        meta["uid"] = str(uuid.uuid4())
        prefix = meta.get("generateName", "") if not meta.get("name") else ""
        for attempt in range(NAME_TRIES):
            if prefix:
                meta["name"] = generated_name(prefix, self.random)
            if attempt == 0:
                context = call.context(meta["creationTimestamp"], options.dry_run, bool(prefix))
                await self.aside(self._weight(call), self._prepare_new, call, obj, context)
                await self.gate.judge(call, obj, None)
            if options.dry_run:
                if self.objects.get(resource, meta.get("namespace", ""), meta["name"]) is not None:
                    raise self._taken(resource, meta)
                return Written(obj, None, created=True)
            if call.verb == "create":
                check_unset_version(meta)
            else:
                meta.pop("resourceVersion", None)
            try:
                record = await self.objects.create(resource, obj)
            except AlreadyExists:
                if not prefix or attempt == NAME_TRIES - 1:
                    raise self._taken(resource, meta) from None
                continue
            return Written(obj, record, created=True)
        raise AssertionError

    def _weight(self, call: Call, record: Record | None = None) -> int:
        """Tell how long checks may take; hooks that learn may only run where all others do."""
        return 0 if call.resource.strategy.learns else weight_of(call, record)

    def _taken(self, resource: Resource, meta: Object) -> AlreadyExists:
        """Say that the name is there already; what is about to go keeps its name until then."""
        say = generated_name_exists if meta.get("generateName") else already_exists
        error = say(resource.group, resource.plural, meta["name"])
        record = self.objects.get(resource, meta.get("namespace", ""), meta["name"])
        if record and "deletionTimestamp" in self.objects.load(resource, record)["metadata"]:
            error.message = f"object is being deleted: {error.message}"
        return error

    def _prepare_new(self, call: Call, obj: Object, context: Context) -> None:
        resource, meta, strategy = call.resource, obj["metadata"], call.resource.strategy
        if strategy.has_generation:
            meta["generation"] = 1
        strategy.prepare_create(obj, context)
        check_kind(resource, obj)
        errors = validate_meta(
            meta, namespaced=resource.namespaced, validate_name=strategy.validate_name
        )
        if call.empties:
            put_back(call.empties)
        special = strategy.validate(obj, context)
        if special and not strategy.checks_metadata:
            errors = []
        elif not resource.custom and strategy.known_finalizers:
            names = validate_finalizer_names(meta.get("finalizers") or ())
            known = {(error.field, error.detail) for error in special}
            errors += [error for error in names if (error.field, error.detail) not in known]
        errors += special
        if errors:
            raise invalid(resource.kind_group, resource.kind, meta.get("name", ""), errors)
        for text in strategy.warnings(obj, None):
            call.warn(text)
        drop_nulls(call, obj)
        if call.empties is not None:
            forget(resource.schema, obj)

    async def change(
        self, call: Call, new: Object, old: Object, record: Record, options: WriteOptions
    ) -> Written:
        """Store a decoded object in place of `old`; ownership is settled already."""
        resource = call.resource
        self._check_version(call, new["metadata"], old, record)
        await self.gate.admit_update(call, new, old)
        self.gate.check_changed(call, new, old)
        try:
            return await self._store_changed(call, new, old, record, options)
        except ApiError:
            self.objects.remind(resource, old["metadata"])
            raise

    async def _store_changed(
        self, call: Call, new: Object, old: Object, record: Record, options: WriteOptions
    ) -> Written:
        resource, meta = call.resource, new["metadata"]
        weight = self._weight(call, record)
        await self.aside(weight, self._prepare_changed, call, new, old, options)
        await self.gate.judge(call, new, old)
        meta["resourceVersion"] = old["metadata"]["resourceVersion"]
        managed = settled(old, new)
        if managed:
            meta["managedFields"] = managed
        if not options.dry_run:
            meta.pop("selfLink", None)  # never stored
        if new == old:
            return Written(old, record)
        if options.dry_run:
            return Written(new, None)
        if is_last_finalizer(meta, old["metadata"]) and resource.strategy.may_vanish(new):
            await self.objects.remove(resource, new, record)
            meta["resourceVersion"] = old["metadata"]["resourceVersion"]
            return Written(new, None)
        return Written(new, await self.objects.replace(resource, new, record))

    def _check_version(self, call: Call, meta: Object, old: Object, record: Record) -> None:
        resource, name = call.resource, old["metadata"]["name"]
        version = own_version(meta)
        if version == "0":
            if not resource.strategy.allow_unconditional_update:
                path, rule = "metadata.resourceVersion", "must be specified for an update"
                error = invalid_field(path, 0, rule)
                raise invalid(resource.group, resource.plural, name, [error])
            meta["resourceVersion"] = str(record.revision)
        elif version != str(record.revision):
            raise modified(resource, name)

    def _prepare_changed(self, call: Call, new: Object, old: Object, options: WriteOptions) -> None:
        resource, strategy = call.resource, call.resource.strategy
        meta, before = new["metadata"], old["metadata"]
        _carry(meta, before, "generation")
        context = call.context(self.now(), options.dry_run)
        strategy.prepare_update(new, old, context)
        check_kind(resource, new)
        if strategy.has_generation and (
            strategy.has_changed(new, old) or _has_new_empties(call, new)
        ):
            meta["generation"] = before.get("generation", 0) + 1
        meta["uid"] = meta.get("uid") or before.get("uid")
        _carry(meta, before, "creationTimestamp")
        if "deletionTimestamp" in before:
            _carry(meta, before, "deletionTimestamp")
        if "deletionGracePeriodSeconds" in before and "deletionGracePeriodSeconds" not in meta:
            _carry(meta, before, "deletionGracePeriodSeconds")
        errors = validate_meta(meta, namespaced=resource.namespaced, validate_name=path_segment)
        errors += validate_meta_update(meta, before)
        if call.empties:
            put_back(call.empties)
        errors += strategy.validate_update(new, old, context)
        if errors:
            raise invalid(resource.kind_group, resource.kind, meta.get("name", ""), errors)
        for text in strategy.warnings(new, old):
            call.warn(text)
        drop_nulls(call, new)
        if call.empties is not None:
            forget(resource.schema, new)

    def turn(self, call: Call) -> AbstractAsyncContextManager[None]:
        """Wait for others that change the same object, if that is big.

        What is changed aside takes a while, and would be overtaken again and again.
        """
        key = call.resource.key(call.namespace, call.name)
        if weight_of(call, self.objects.log.get(key)) < BIG:
            return nullcontext()
        return self._turns.setdefault(key, asyncio.Lock())

    def find(self, call: Call) -> Record:
        """Give the row the call names."""
        record = self.objects.get(call.resource, call.namespace, call.name)
        if record is None:
            raise not_found(call.resource.group, call.resource.plural, call.name)
        return record


def weight_of(call: Call, record: Record | None) -> int:
    """Tell how long it may take to make an object of a body and of what is stored."""
    return max(call.weight, len(record.value)) if record else call.weight


def _has_new_empties(call: Call, new: Object) -> bool:
    if not call.empties or not call.resource.strategy.counts_empties:
        return False
    return any(holder is not new["metadata"] for holder, _, _ in call.empties)


def drop_nulls(call: Call, obj: Object) -> None:
    """Drop the nulls that an apply may have left: the store does not give them back."""
    if call.resource.custom and call.verb == "patch" and call.media.startswith(APPLY):
        call.resource.schema.rules.settle(obj)


def own_version(meta: Object) -> str:
    """Give the version that an object says it is of; one that is none is a plain error of Go."""
    version: str = meta.get("resourceVersion") or "0"
    is_number = version.isascii() and version.isdigit()
    if not is_number or int(version) >= LIMIT:
        why = "value out of range" if is_number else "invalid syntax"
        raise UnknownError(f"strconv.ParseUint: parsing {quote(version)}: {why}", code=500)
    return version


def check_kind(resource: Resource, obj: Object) -> None:
    """Refuse a custom object of another kind; built-in ones are of their kind once decoded."""
    if not resource.custom:
        return
    wanted = {"kind": resource.kind, "apiVersion": resource.api_version}
    errors = [
        invalid_field(name, obj.get(name) or "", f"must be {text}")
        for name, text in wanted.items()
        if obj.get(name) != text
    ]
    if errors:
        group = str(obj.get("apiVersion")).rpartition("/")[0]
        raise invalid(group, obj.get("kind") or "", obj["metadata"].get("name", ""), errors)


def _carry(meta: Object, before: Object, name: str) -> None:
    if name in before:
        meta[name] = before[name]
    else:
        meta.pop(name, None)


def is_last_finalizer(meta: Object, before: Object) -> bool:
    """Whether this write ends the life of an object that was waiting for its finalizers."""
    if meta.get("finalizers") or "deletionTimestamp" not in before:
        return False
    return not before.get("deletionGracePeriodSeconds")


def check_unset_version(meta: Object) -> None:
    """Refuse a version of an object that is not there yet; what is no number does not count."""
    version = meta.pop("resourceVersion", "")
    if version.isascii() and version.isdigit() and int(version):
        # A plain error of Go: it has no reason.
        raise UnknownError("resourceVersion should not be set on objects to be created", code=500)


FOLDERS = {
    "endpoints": "services/endpoints",
    "ingresses": "ingress",
    "nodes": "minions",
    "replicationcontrollers": "controllers",
    "services": "services/specs",
}
"""Where Kubernetes keeps objects whose folder is not named like their resource."""
GROUPED = {"apiextensions.k8s.io", "apiregistration.k8s.io"}


def check_uid(call: Call, new: Object, old: Object, dry_run: bool) -> None:
    """Refuse a PUT that means another object of the same name; the key is part of the message."""
    uid, live = new["metadata"].get("uid"), old["metadata"].get("uid")
    if not uid or uid == live:
        return
    resource = call.resource
    folder = resource.plural if resource.custom else FOLDERS.get(resource.plural, resource.plural)
    if resource.custom or resource.group in GROUPED:
        folder = f"{resource.group}/{folder}"
    key = resource.key(call.namespace, call.name).removeprefix(resource.prefix)
    path = f"/{folder}/{key}" if dry_run else f"/registry/{folder}/{key}"
    why = (
        f"StorageError: invalid object, Code: 4, Key: {path}, ResourceVersion: 0, "
        f"AdditionalErrorMsg: Precondition failed: UID in precondition: {uid}, "
        f"UID in object meta: {live}"
    )
    raise conflict(resource.group, resource.plural, old["metadata"]["name"], why)


def unique_owners(call: Call, meta: Object, patched: bool = False) -> None:
    """Drop owner references that are there twice, with a warning."""
    references = meta.get("ownerReferences")
    if not references or len(references) < 2:
        return
    kept, doubled = without_duplicates(references)
    if doubled:
        call.warn(duplicates_warning(doubled, after_admission=patched))
        meta["ownerReferences"] = kept


def validate_finalizer_names(finalizers: Sequence[str]) -> list[FieldError]:
    """Check what built-in kinds demand of finalizers: a domain, or a name of Kubernetes' own."""
    rule = "name is neither a standard finalizer name nor is it fully qualified"
    return [
        invalid_field(f"metadata.finalizers[{index}]", name, rule)
        for index, name in enumerate(finalizers)
        if "/" not in name and name not in STANDARD_FINALIZERS
    ]
