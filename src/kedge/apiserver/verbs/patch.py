"""Patch: JSON patch, merge patch, strategic merge patch, server-side apply."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from kedge.apiserver.call import Call
from kedge.apiserver.codec import Codec
from kedge.apiserver.forms import Forms
from kedge.apiserver.http.query import APPLY, WriteOptions, write_options
from kedge.apiserver.http.reply import Reply
from kedge.apiserver.resource import Object
from kedge.apiserver.verbs.create import show
from kedge.apiserver.verbs.update import TRIES, check_name
from kedge.apiserver.verbs.writing import Writing, Written, unique_owners
from kedge.kube.apply import apply
from kedge.kube.errors import BadRequest, Conflict, UnsupportedMediaType, conflict, not_found
from kedge.kube.patch.json import apply_json_patch
from kedge.kube.patch.merge import merge
from kedge.kube.patch.strategic import strategic
from kedge.kube.schema import Schema

JSON_PATCH = "application/json-patch+json"
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"


class Patch:
    """Answers PATCH of an object or of its status."""

    def __init__(self, writing: Writing, codec: Codec, forms: Forms) -> None:
        """Write through `writing`."""
        self.writing = writing
        self.codec = codec
        self.forms = forms

    async def __call__(self, call: Call) -> Reply:
        """Change the stored object by the patch in the body."""
        accepted = patch_types(call)
        if call.media not in accepted:
            raise unsupported(call, accepted)
        options = write_options(call.query, "PatchOptions", call.media)
        start = self._apply if call.media == APPLY else self._patch
        attempt = start(call, options)
        for number in range(TRIES):
            try:
                return show(self.forms, call, await attempt())
            except Lost as lost:
                if number == TRIES - 1:
                    raise lost.error from None
        raise AssertionError

    def _patch(self, call: Call, options: WriteOptions) -> "Attempt":
        change = changed_by(call, self.codec, call.resource.schema, options.validation)

        async def attempt() -> Written:
            record = self.writing.find(call)
            old = self.writing.objects.load(call.resource, record)
            # The patch works on a copy of its own: decoding changes objects in place.
            patched = change.make(self.writing.objects.load(call.resource, record))
            new = self.codec.recast(call, patched, options.validation, change.strict)
            self.writing.fit_namespace(call, new["metadata"])
            check_name(call, new)
            unique_owners(call, new["metadata"])
            self.writing.track(call, old, new, options)
            return await _or_lost(
                self.writing.change(call, new, old, record, options), new, record.revision
            )

        return attempt

    def _apply(self, call: Call, options: WriteOptions) -> "Attempt":
        applied = self.codec.read_applied(call, options.validation)
        resource = call.resource

        async def attempt() -> Written:
            objects = self.writing.objects
            record = objects.get(resource, call.namespace, call.name)
            old = objects.load(resource, record) if record else None
            if old is None and call.subresource:
                raise not_found(resource.group, resource.plural, call.name)
            result = apply(
                objects.load(resource, record) if record else None,
                applied,
                resource.schema,
                self.writing.manager(call, options),
                bool(options.force),
                self.writing.now(),
            )
            new = self.codec.recast(call, result.obj, "Ignore")
            meta = new["metadata"]
            if result.managed:
                meta["managedFields"] = result.managed
            self.writing.fit_namespace(call, meta)
            check_name(call, new)
            unique_owners(call, meta)
            if record is None or old is None:
                return await self._create_applied(call, new, options)
            return await _or_lost(
                self.writing.change(call, new, old, record, options), new, record.revision
            )

        return attempt

    async def _create_applied(self, call: Call, new: Object, options: WriteOptions) -> Written:
        uid = new["metadata"].get("uid")
        if uid:
            why = (
                f"uid mismatch: the provided object specified uid {uid}, "
                "and no existing object was found"
            )
            raise conflict(call.resource.group, call.resource.plural, call.name, why)
        self.writing.gate.may_create(call)
        return await self.writing.create(call, new, options, managed=False)


Attempt = Callable[[], Awaitable[Written]]


@dataclass(frozen=True, slots=True)
class Change:
    """What a patch does to an object, and what strict decoding has to say of the patch."""

    make: Callable[[Object], Object]
    strict: list[str]


def changed_by(call: Call, codec: Codec, schema: Schema, mode: str) -> Change:
    """Read the patch in the body."""
    if call.media == JSON_PATCH:
        read = codec.json_patch(call, mode)
        return Change(lambda old: _object(apply_json_patch(old, read.value)), read.strict)
    if call.media == MERGE:
        read = codec.merge_patch(call, mode)
        return Change(lambda old: _object(merge(old, read.value)), read.strict)
    read = codec.strategic_patch(call, mode)
    return Change(lambda old: strategic(old, read.value, schema), read.strict)


class Lost(Exception):
    """Someone wrote between our read and our write; the patch is made again."""

    def __init__(self, error: Conflict) -> None:
        """Keep what is told when patience ends."""
        super().__init__(error.message)
        self.error = error


async def _or_lost(writing: Awaitable[Written], new: Object, revision: int) -> Written:
    try:
        return await writing
    except Conflict as exc:
        if new["metadata"].get("resourceVersion") in {None, "", "0", str(revision)}:
            raise Lost(exc) from exc
        raise


def patch_types(call: Call) -> tuple[str, ...]:
    """Give the patches a resource takes: strategic merge needs Go types."""
    if call.resource.custom:
        return (JSON_PATCH, MERGE, APPLY)
    return (JSON_PATCH, MERGE, STRATEGIC, APPLY)


def unsupported(call: Call, accepted: tuple[str, ...]) -> UnsupportedMediaType:
    """Give the body has a type that is no patch."""
    if call.resource.custom:
        return UnsupportedMediaType(
            "the body of the request was in an unknown format - accepted media types include: "
            + ", ".join(accepted)
        )
    return UnsupportedMediaType("415: Unsupported Media Type", {})


def _object(value: object) -> Object:
    if not isinstance(value, dict):
        raise BadRequest(
            f"json: cannot unmarshal {_word(value)} into Go value of type map[string]interface {{}}"
        )
    return value


def _word(value: object) -> str:
    return {str: "string", bool: "bool", list: "array", type(None): "null"}.get(
        type(value), "number"
    )
