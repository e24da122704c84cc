"""The scale subresource: how many replicas, whatever the kind."""

from collections.abc import Awaitable, Callable
from copy import deepcopy
from dataclasses import replace

from kedge.apiserver.call import Call
from kedge.apiserver.codec import Codec
from kedge.apiserver.crd.printer import AGE, printer_of
from kedge.apiserver.forms import Forms
from kedge.apiserver.http.query import APPLY, WriteOptions, write_options
from kedge.apiserver.http.reply import Reply
from kedge.apiserver.patches import Subject, patch
from kedge.apiserver.printers import printer_for
from kedge.apiserver.resource import Object, Resource
from kedge.apiserver.scale import current_scale, scale_of, with_replicas
from kedge.apiserver.verbs.patch import patch_media
from kedge.apiserver.verbs.update import TRIES, check_name
from kedge.apiserver.verbs.writing import Writing, check_uid
from kedge.kube.apply import Manager, apply, manager_name, parent_entries, scale_entries, track
from kedge.kube.errors import Conflict, UnknownError, invalid
from kedge.kube.fielderror import invalid as invalid_field

API_VERSION, KIND = "autoscaling/v1", "Scale"
Wanted = tuple[Object, list[Object]]
"""A Scale, and who owns what of it."""
PRINTER = printer_for("autoscaling", "v1", KIND)
CUSTOM = printer_of(
    [
        {
            "name": "Desired",
            "type": "integer",
            "description": "Number of desired replicas",
            "jsonPath": ".spec.replicas",
        },
        {
            "name": "Available",
            "type": "integer",
            "description": "Number of actual replicas",
            "jsonPath": ".status.replicas",
        },
        AGE,
    ]
)
NO_APPLY = (
    "failed to create manager for existing fields: failed to convert live object "
    "(/; autoscaling/v1, Kind=Scale) to proper version: "
    "request to convert CR to an invalid group/version: autoscaling/v1"
)
"""What a real server says when it is to apply the scale of a custom resource."""


class Scale:
    """Answers GET, PUT and PATCH of scale."""

    def __init__(self, writing: Writing, codec: Codec, forms: Forms) -> None:
        """Write through `writing`."""
        self.writing = writing
        self.codec = codec
        self.forms = forms

    async def get(self, call: Call) -> Reply:
        """Show the scale of an object."""
        record = self.writing.find(call)
        obj = self.writing.objects.load(call.resource, record)
        return self._shown(call, scale_of(call.resource, obj))

    async def put(self, call: Call) -> Reply:
        """Scale an object to what the body says."""
        options = write_options(call.query, "UpdateOptions")
        read = self.codec.read_kind
        wanted = await self.codec.aside(
            call.weight, read, call, API_VERSION, KIND, options.validation
        )
        self.writing.fit_namespace(call, wanted["metadata"])
        check_name(call, wanted)

        def want(scale: Object) -> Wanted:
            return wanted, self._owned(call, scale, wanted, options)

        return await self._retried(call, lambda: self._write(call, want, options))

    async def patch(self, call: Call) -> Reply:
        """Scale an object by a patch of its scale."""
        media = patch_media(call)
        options = write_options(call.query, "PatchOptions", media)
        subject = Subject.of_kind(API_VERSION, KIND)

        def want(scale: Object) -> Wanted:
            if media == APPLY and call.resource.custom:
                raise UnknownError(NO_APPLY, code=500)
            if media == APPLY:
                return self._applied(call, scale, options)
            new = patch(call, media, subject, lambda: deepcopy(scale), options.validation)
            return new, self._owned(call, scale, new, options)

        return await self._retried(call, lambda: self._write(call, want, options))

    async def _retried(self, call: Call, attempt: Callable[[], Awaitable[Reply]]) -> Reply:
        for number in range(TRIES):
            try:
                return await attempt()
            except Conflict:
                if number == TRIES - 1 or b"resourceVersion" in call.body:
                    raise
        raise AssertionError

    async def _write(
        self, call: Call, want: Callable[[Object], Wanted], options: WriteOptions
    ) -> Reply:
        resource = call.resource
        record = self.writing.find(call)
        old = self.writing.objects.load(resource, record)
        managed = old["metadata"].get("managedFields") or []
        before = current_scale(resource, old)
        before["metadata"]["managedFields"] = scale_entries(managed, paths_of(resource))
        scale, owned = await self.codec.aside(call.weight, want, before)
        check_name(call, scale)
        if call.verb == "update":
            check_uid(call, scale, old, options.dry_run)
        if not resource.custom:
            check_scale(scale)
        new = with_replicas(resource, old, scale)
        if not resource.custom:
            # Replicas are owned through the Scale; the rules are those of the object itself.
            entries = parent_entries(managed, owned, paths_of(resource), resource.api_version)
            new["metadata"]["managedFields"] = entries
        written = await self.writing.change(
            replace(call, subresource="", empties=None), new, old, record, options
        )
        return self._shown(call, scale_of(resource, written.obj))

    def _shown(self, call: Call, scale: Object) -> Reply:
        if call.accept.kind == "Table":
            printer = CUSTOM if call.resource.custom else PRINTER
            call = replace(call, resource=replace(call.resource, printer=printer))
        return self.forms.one_object(call, 200, scale)

    def _owned(
        self, call: Call, before: Object, scale: Object, options: WriteOptions
    ) -> list[Object]:
        schema = self.codec.schema_of(API_VERSION, KIND)
        manager = self._manager(call, options)
        return track(None, before, scale, schema, manager, self.writing.now())

    def _applied(self, call: Call, before: Object, options: WriteOptions) -> Wanted:
        applied = self.codec.read_applied(call)
        result = apply(
            before,
            applied.value,
            self.codec.schema_of(API_VERSION, KIND),
            self._manager(call, options),
            bool(options.force),
            self.writing.now(),
        )
        applied.settle(call, options.validation)
        return result.obj, result.managed

    def _manager(self, call: Call, options: WriteOptions) -> Manager:
        name = manager_name(options.manager, call.agent)
        return Manager(name, API_VERSION, call.subresource, KIND)


def paths_of(resource: Resource) -> dict[str, tuple[str, ...] | None]:
    """Tell where the number of replicas is, by version."""
    return {resource.api_version: ("f:spec", "f:replicas")}


def check_scale(scale: Object) -> None:
    """Refuse a negative number of replicas."""
    replicas = scale.get("spec", {}).get("replicas", 0)
    if replicas < 0:
        error = invalid_field("spec.replicas", replicas, "must be greater than or equal to 0")
        raise invalid("autoscaling", KIND, scale["metadata"].get("name", ""), [error])
