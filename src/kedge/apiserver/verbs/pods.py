"""Subresources of pods. Pods are not run here, and what needs a running one says so."""

from copy import deepcopy
from dataclasses import replace

from kedge.apiserver.builtin.pods.binding import bind, check_binding
from kedge.apiserver.builtin.pods.eviction import check_preconditions, guarding, mark, spend
from kedge.apiserver.builtin.pods.logs import check_container, check_options
from kedge.apiserver.call import Call
from kedge.apiserver.codec import Codec
from kedge.apiserver.http.query import PLAIN, ListOptions, WriteOptions, write_options
from kedge.apiserver.http.reply import Reply, json_reply
from kedge.apiserver.objects import Objects
from kedge.apiserver.resource import Object, Resource
from kedge.apiserver.verbs.delete import Delete, DeleteOptions
from kedge.apiserver.verbs.list import List
from kedge.apiserver.verbs.writing import Writing
from kedge.kube.errors import BadRequest, NotImplementedByServer, conflict, named, not_found

LOG_NUMBERS = ("tailLines", "limitBytes", "sinceSeconds")


class Running:
    """Refuses what only a running pod, node or service can answer."""

    def __init__(self, writing: Writing) -> None:
        """Look for the object first: a name that is not there is a plain 404."""
        self.writing = writing

    async def __call__(self, call: Call) -> Reply:
        """Say what this server does not do."""
        self.writing.find(call)
        what = f"{call.resource.plural}/{call.subresource}"
        raise NotImplementedByServer(
            f"{what} is not available: this server keeps objects and does not run pods",
            named(call.resource.group, call.resource.plural, call.name),
        )


class Logs(Running):
    """Answers for the logs of a pod: none, as of a pod that was not scheduled."""

    async def __call__(self, call: Call) -> Reply:
        """Give the empty log of a pod that runs nowhere."""
        numbers = {name: call.query.number(name) for name in LOG_NUMBERS}
        check_options(call.name, numbers, call.query.text("sinceTime"))
        record = self.writing.find(call)
        pod = self.writing.objects.load(call.resource, record)
        check_container(pod, call.query.text("container"))
        node = pod["spec"].get("nodeName")
        if not node:
            return Reply(204, b"", "text/plain")
        if self.writing.objects.log.get(f"/core/nodes/{node}") is None:
            raise not_found("", "pods", node)  # in a real server's words
        return await super().__call__(call)


class Binding:
    """Puts a pod on a node."""

    def __init__(self, writing: Writing, codec: Codec) -> None:
        """Write through `writing`."""
        self.writing = writing
        self.codec = codec
        self.pods: Resource | None = None
        """The resource of pods, where the path names another one: the old `bindings`."""

    async def __call__(self, call: Call) -> Reply:
        """Bind the pod that the body names."""
        options = write_options(call.query, "CreateOptions")
        read = self.codec.read_kind
        binding = await self.codec.aside(
            call.weight, read, call, "v1", "Binding", options.validation
        )
        name = call.name or binding["metadata"].get("name", "")
        if name != binding["metadata"].get("name", ""):
            raise BadRequest("name in URL does not match name in Binding object")
        check_binding(binding)
        pods = self.pods or call.resource
        call.name = name
        self.writing.gate.check_place(call, binding)
        record = self.writing.objects.get(pods, call.namespace, name)
        if record is None:
            raise not_found("", "pods", name)
        pod = self.writing.objects.load(pods, record)
        check_same(pod, binding["metadata"])
        bind(pod, binding, self.writing.now())
        if not options.dry_run:
            await self.writing.objects.replace(pods, pod, record)
        return json_reply(201, success())


class Eviction:
    """Deletes a pod if its disruption budget allows."""

    def __init__(self, writing: Writing, codec: Codec, delete: Delete, listing: List) -> None:
        """Delete through `delete`, find budgets by `listing`."""
        self.writing = writing
        self.codec = codec
        self.delete = delete
        self.list = listing
        self.objects: Objects = writing.objects
        self.budgets: Resource | None = None

    async def __call__(self, call: Call) -> Reply:
        """Evict the pod that the path names."""
        options = write_options(call.query, "CreateOptions")
        read = self.codec.read_kind
        body = await self.codec.aside(
            call.weight, read, call, "policy/v1", "Eviction", options.validation
        )
        if body["metadata"].get("name", "") != call.name:
            raise BadRequest("name in URL does not match name in Eviction object")
        asked = body.get("deleteOptions") or {}
        wanted = DeleteOptions.of(asked, call.query)
        wanted.dry_run = wanted.dry_run or options.dry_run
        options = WriteOptions(dry_run=wanted.dry_run)
        record = self.writing.find(call)
        pod = self.objects.load(call.resource, record)
        await self._spend_budget(call, pod, options)
        if not wanted.dry_run:
            check_preconditions(pod, asked.get("preconditions") or {})
            mark(pod, self.writing.now())
            await self.objects.replace(call.resource, pod, record)
            wanted.version = None  # the mark was ours
        await self.delete.delete(call, call.name, wanted)
        return json_reply(201, success())

    async def _spend_budget(self, call: Call, pod: Object, options: WriteOptions) -> None:
        resource = self.budgets
        if resource is None:
            return
        found = await self.list.find(resource, pod["metadata"]["namespace"], ListOptions())
        budgets = [self.objects.load(resource, record) for record in found.records]
        budget = guarding(pod, budgets)
        if budget is None:
            return
        record, old = found.records[budgets.index(budget)], deepcopy(budget)
        spend(budget, pod["metadata"]["name"], self.writing.now())
        # The server itself asks for this change, as a client of its own.
        change = replace(
            call,
            verb="update",
            resource=resource,
            name=old["metadata"]["name"],
            subresource="status",
            agent="kube-apiserver",
        )
        self.writing.track(change, old, budget, PLAIN)
        await self.writing.change(change, budget, old, record, options)


def success() -> Object:
    """Make the Status of something done."""
    return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}


def check_same(pod: Object, wanted: Object) -> None:
    """Refuse a pod that is not the one that is meant, or no longer as it was."""
    meta = pod["metadata"]
    for field, word in (("uid", "UID"), ("resourceVersion", "ResourceVersion")):
        value = wanted.get(field)
        if value and value != meta[field]:
            why = (
                "StorageError: invalid object, Code: 4, "
                f"Key: /registry/pods/{meta['namespace']}/{meta['name']}, ResourceVersion: 0, "
                f"AdditionalErrorMsg: Precondition failed: {word} in precondition: {value}, "
                f"{word} in object meta: {meta[field]}"
            )
            raise conflict("", "pods/binding", meta["name"], why)
