"""Limit ranges of the namespace: defaults for pods, bounds for pods and claims."""

from kedge.apiserver.admission.classes import is_claim
from kedge.apiserver.builtin.limitranger import claim_problem, pod_problem, set_defaults
from kedge.apiserver.call import Call
from kedge.apiserver.objects import decode
from kedge.apiserver.resource import Object
from kedge.kube.errors import forbidden
from kedge.store import Log

RANGES = "/core/limitranges/"


class Limits:
    """What kube-apiserver's plugin LimitRanger does."""

    def __init__(self, log: Log) -> None:
        """Look for limit ranges in `log`."""
        self.log = log

    async def admit(self, call: Call, new: Object, old: Object | None) -> None:
        """Give the containers of a new pod their defaults."""
        if _is_new_pod(call, old):
            set_defaults(new, await self._ranges(call.namespace))

    async def judge(self, call: Call, new: Object, old: Object | None) -> None:
        """Hold new pods, and claims, against the bounds."""
        if _is_new_pod(call, old):
            problem = pod_problem(new, await self._ranges(call.namespace))
        elif is_claim(call) and not call.subresource and not _is_going(old):
            problem = claim_problem(new, await self._ranges(call.namespace))
        else:
            return
        if problem:
            name = new["metadata"].get("name", "")
            raise forbidden("", call.resource.plural, name, problem)

    async def _ranges(self, namespace: str) -> list[Object]:
        page = await self.log.list(f"{RANGES}{namespace}/")
        return [decode(record.value) for record in page.records]


def _is_new_pod(call: Call, old: Object | None) -> bool:
    is_pod = call.resource.kind == "Pod" and not call.resource.group
    return is_pod and old is None and not call.subresource


def _is_going(old: Object | None) -> bool:
    return old is not None and "deletionTimestamp" in old["metadata"]
