"""Update: PUT of a whole object."""

from kedge.apiserver.call import Call
from kedge.apiserver.codec import Codec
from kedge.apiserver.forms import Forms
from kedge.apiserver.http.query import WriteOptions, write_options
from kedge.apiserver.http.reply import Reply
from kedge.apiserver.resource import Object
from kedge.apiserver.verbs.create import show
from kedge.apiserver.verbs.writing import (
    Writing,
    Written,
    check_uid,
    own_version,
    unique_owners,
    weight_of,
)
from kedge.kube.errors import BadRequest, Conflict, not_found

TRIES = 5


class Update:
    """Answers PUT to an object or to its status."""

    def __init__(self, writing: Writing, codec: Codec, forms: Forms) -> None:
        """Write through `writing`."""
        self.writing = writing
        self.codec = codec
        self.forms = forms

    async def __call__(self, call: Call) -> Reply:
        """Put the object in the body in place of the stored one."""
        options = write_options(call.query, "UpdateOptions")
        obj = await self.codec.aside(call.weight, self._read, call, options)
        for attempt in range(TRIES):
            try:
                async with self.writing.turn(call):
                    return show(self.forms, call, await self._put(call, obj, options))
            except Conflict:
                # Without a resourceVersion the client wants to overwrite, whoever came between.
                if "resourceVersion" in obj["metadata"] or attempt == TRIES - 1:
                    raise
        raise AssertionError

    def _read(self, call: Call, options: WriteOptions) -> Object:
        obj = self.codec.read(call, options.validation)
        self.writing.fit_namespace(call, obj["metadata"])
        check_name(call, obj)
        unique_owners(call, obj["metadata"])
        return obj

    async def _put(self, call: Call, obj: Object, options: WriteOptions) -> Written:
        objects, resource = self.writing.objects, call.resource
        record = objects.get(resource, call.namespace, call.name)
        if record is None:
            if call.subresource or not resource.strategy.allow_create_on_update:
                raise not_found(resource.group, resource.plural, call.name)
            nobody = {"metadata": {"name": call.name, "uid": ""}}
            check_uid(call, obj, nobody, options.dry_run)
            own_version(obj["metadata"])
            self.writing.gate.may_create(call)
            return await self.writing.create(call, obj, options)
        old = objects.load(resource, record)
        check_uid(call, obj, old, options.dry_run)
        new = {**obj, "metadata": dict(obj["metadata"])}
        weight = weight_of(call, record)
        await self.writing.aside(weight, self.writing.track, call, old, new, options)
        return await self.writing.change(call, new, old, record, options)


def check_name(call: Call, obj: Object) -> None:
    """Give the name in the body must be that of the path."""
    name = obj["metadata"].get("name", "")
    if not name:
        raise BadRequest(
            f"the name of the object ({call.name} based on URL) was undeterminable: "
            "name must be provided"
        )
    if name != call.name:
        raise BadRequest(
            f"the name of the object ({name}) does not match the name on the URL ({call.name})"
        )
