"""Patch: JSON patch, merge patch, strategic merge patch, server-side apply."""

from collections.abc import Awaitable, Callable

from kedge.apiserver.call import Call
from kedge.apiserver.codec import Codec
from kedge.apiserver.filling import fill_in
from kedge.apiserver.forms import Forms
from kedge.apiserver.http.query import APPLY, WriteOptions, write_options
from kedge.apiserver.http.reply import Reply
from kedge.apiserver.patches import JSON_PATCH, MERGE, STRATEGIC, Subject, patch
from kedge.apiserver.resource import Object
from kedge.apiserver.verbs.create import show
from kedge.apiserver.verbs.update import TRIES, check_name
from kedge.apiserver.verbs.writing import Writing, Written, own_version, unique_owners, weight_of
from kedge.kube.apply import apply
from kedge.kube.errors import Conflict, UnsupportedMediaType, conflict, not_found
from kedge.kube.refusals import unsupported_media_type
from kedge.store import Record


class Patch:
    """Answers PATCH of an object or of its status."""

    def __init__(self, writing: Writing, codec: Codec, forms: Forms) -> None:
        """Write through `writing`."""
        self.writing = writing
        self.codec = codec
        self.forms = forms

    async def __call__(self, call: Call) -> Reply:
        """Change the stored object by the patch in the body."""
        media = patch_media(call)
        options = write_options(call.query, "PatchOptions", media)
        if media == APPLY:
            attempt = self._apply(call, options)
        else:
            attempt = self._patch(call, media, options)
        for number in range(TRIES):
            try:
                async with self.writing.turn(call):
                    return show(self.forms, call, await attempt())
            except Lost as lost:
                if number == TRIES - 1:
                    raise lost.error from None
        raise AssertionError

    def _patch(self, call: Call, media: str, options: WriteOptions) -> "Attempt":
        subject = Subject.of(call.resource)

        def make(record: Record) -> tuple[Object, Object]:
            def load() -> Object:
                return self.writing.objects.load(call.resource, record)

            old = load()
            new = patch(call, media, subject, load, options.validation, old)
            fill_in(call, new, call.empties)
            self._check(call, new)
            self.writing.track(call, old, new, options)
            return old, new

        async def attempt() -> Written:
            record = self.writing.find(call)
            old, new = await self.writing.aside(weight_of(call, record), make, record)
            return await _or_lost(
                self.writing.change(call, new, old, record, options), new, record.revision
            )

        return attempt

    def _apply(self, call: Call, options: WriteOptions) -> "Attempt":
        resource = call.resource

        def make(record: Record | None) -> Object:
            applied = self.codec.read_applied(call)
            result = apply(
                self.writing.objects.load(resource, record) if record else None,
                applied.value,
                resource.schema,
                self.writing.manager(call, options),
                bool(options.force),
                self.writing.now(),
            )
            new = self.codec.merged(call, result.obj, applied.value)
            applied.settle(call, options.validation)
            if result.managed:
                new["metadata"]["managedFields"] = result.managed
            self._check(call, new)
            return new

        async def attempt() -> Written:
            objects = self.writing.objects
            record = objects.get(resource, call.namespace, call.name)
            if record is None and call.subresource:
                raise not_found(resource.group, resource.plural, call.name)
            new = await self.writing.aside(weight_of(call, record), make, record)
            if record is None:
                return await self._create_applied(call, new, options)
            old = objects.load(resource, record)
            return await _or_lost(
                self.writing.change(call, new, old, record, options), new, record.revision
            )

        return attempt

    def _check(self, call: Call, new: Object) -> None:
        self.writing.fit_namespace(call, new["metadata"])
        check_name(call, new)
        unique_owners(call, new["metadata"], patched=True)

    async def _create_applied(self, call: Call, new: Object, options: WriteOptions) -> Written:
        uid = new["metadata"].get("uid")
        if uid:
            why = (
                f"uid mismatch: the provided object specified uid {uid}, "
                "and no existing object was found"
            )
            raise conflict(call.resource.group, call.resource.plural, call.name, why)
        own_version(new["metadata"])
        self.writing.gate.may_create(call)
        return await self.writing.create(call, new, options)


Attempt = Callable[[], Awaitable[Written]]


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


def patch_media(call: Call) -> str:
    """Give the type of the patch in the body; raises UnsupportedMediaType."""
    # Strategic merge needs Go types.
    accepted = (JSON_PATCH, MERGE, APPLY) if call.resource.custom else BUILTIN
    if not call.resource.custom and not _is_routed(call.media):
        raise UnsupportedMediaType("415: Unsupported Media Type", {})
    media = call.media.partition(";")[0] or call.media
    if media not in accepted:
        raise unsupported_media_type(accepted)
    return media


BUILTIN = (JSON_PATCH, MERGE, STRATEGIC, APPLY)


def _is_routed(header: str) -> bool:
    """Whether the path is served for this type: a header may even name several."""
    return any(one.partition(";")[0].strip(" \t") in BUILTIN for one in header.split(","))
