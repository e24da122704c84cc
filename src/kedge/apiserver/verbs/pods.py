"""Subresources of pods. Pods are not run here, and what needs a running one says so."""

from kedge.apiserver.call import Call
from kedge.apiserver.codec import Codec
from kedge.apiserver.http.query import ListOptions, write_options
from kedge.apiserver.http.reply import Reply, json_reply
from kedge.apiserver.objects import Objects
from kedge.apiserver.resource import Object, Resource
from kedge.apiserver.verbs.delete import Delete, DeleteOptions
from kedge.apiserver.verbs.list import List
from kedge.apiserver.verbs.writing import Writing
from kedge.kube.conditions import set_condition
from kedge.kube.errors import BadRequest, NotImplementedByServer, conflict, named, not_found
from kedge.kube.refusals import too_many_requests
from kedge.kube.selectors import from_object

FINISHED = ("Succeeded", "Failed")
BUDGET = "Cannot evict pod as it would violate the pod's disruption budget."


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
        record = self.writing.find(call)
        pod = self.writing.objects.load(call.resource, record)
        if not pod.get("spec", {}).get("nodeName"):
            return Reply(204, b"", "text/plain")
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
        binding = self.codec.read_kind(call, "v1", "Binding", options.validation)
        name = call.name or binding["metadata"].get("name", "")
        if name != binding["metadata"].get("name", ""):
            raise BadRequest("name in URL does not match name in Binding object")
        pods = self.pods or call.resource
        call.name = name
        self.writing.gate.check_place(call, binding)
        record = self.writing.objects.get(pods, call.namespace, name)
        if record is None:
            raise not_found("", "pods", name)
        pod = self.writing.objects.load(pods, record)
        self._bind(pod, binding)
        if not options.dry_run:
            await self.writing.objects.replace(pods, pod, record)
        return json_reply(201, success())

    def _bind(self, pod: Object, binding: Object) -> None:
        meta, spec = pod["metadata"], pod["spec"]
        name = meta["name"]
        version = binding["metadata"].get("resourceVersion")
        if version and version != meta["resourceVersion"]:
            raise conflict("", "pods", name, "the object has been modified")
        if "deletionTimestamp" in meta:
            raise _refused(name, f"pod {name} is being deleted, cannot be assigned to a host")
        if spec.get("nodeName"):
            raise _refused(name, f'pod {name} is already assigned to node "{spec["nodeName"]}"')
        if spec.get("schedulingGates"):
            raise _refused(name, f"pod {name} has non-empty .spec.schedulingGates")
        spec["nodeName"] = binding.get("target", {}).get("name", "")
        for field in ("annotations", "labels"):
            added = binding["metadata"].get(field)
            if added:
                meta[field] = {**(meta.get(field) or {}), **added}
        status = pod.setdefault("status", {})
        scheduled = {"type": "PodScheduled", "status": "True", "lastProbeTime": None}
        status["conditions"] = set_condition(
            status.get("conditions"), scheduled, self.writing.now()
        )


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
        body = self.codec.read_kind(call, "policy/v1", "Eviction", options.validation)
        if body["metadata"].get("name", "") != call.name:
            raise BadRequest("name in URL does not match name in Eviction object")
        wanted = DeleteOptions.of(body.get("deleteOptions") or {}, call.query)
        wanted.dry_run = wanted.dry_run or options.dry_run
        record = self.writing.find(call)
        pod = self.objects.load(call.resource, record)
        if pod.get("status", {}).get("phase") not in FINISHED:
            await self._spend_budget(pod, wanted.dry_run)
        await self.delete.delete(call, call.name, wanted)
        return json_reply(201, success())

    async def _spend_budget(self, pod: Object, dry_run: bool) -> None:
        resource = self.budgets
        if resource is None:
            return
        found = await self.list.find(resource, pod["metadata"]["namespace"], ListOptions())
        labels = pod["metadata"].get("labels") or {}
        for record in found.records:
            budget = self.objects.load(resource, record)
            selector = budget.get("spec", {}).get("selector")
            if selector is None or not from_object(selector).matches(labels):
                continue
            await self._spend(resource, budget, record, dry_run)

    async def _spend(
        self, resource: Resource, budget: Object, record: object, dry_run: bool
    ) -> None:
        status = budget.setdefault("status", {})
        if status.get("disruptionsAllowed", 0) <= 0:
            healthy, desired = status.get("currentHealthy", 0), status.get("desiredHealthy", 0)
            name = budget["metadata"]["name"]
            message = (
                f"The disruption budget {name} needs {desired} healthy pods "
                f"and has {healthy} currently"
            )
            error = too_many_requests(BUDGET, 0)
            error.details = {"causes": [{"reason": "DisruptionBudget", "message": message}]}
            raise error
        if not dry_run:
            status["disruptionsAllowed"] -= 1
            await self.objects.replace(resource, budget, record)  # type: ignore[arg-type]


def success() -> Object:
    """Make the Status of something done."""
    return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}


def _refused(name: str, why: str) -> Exception:
    return conflict("", "pods/binding", name, why)
