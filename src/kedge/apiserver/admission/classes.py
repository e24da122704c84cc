"""Default classes of claims and ingresses, and claims that grow as their class allows."""

from kedge.apiserver.builtin.classdefaults import (
    class_of_claim,
    growth_problem,
    set_ingress_class,
    set_storage_class,
)
from kedge.apiserver.call import Call
from kedge.apiserver.objects import decode
from kedge.apiserver.resource import Object
from kedge.kube.errors import forbidden
from kedge.store import Log

STORAGE = "/storage.k8s.io/storageclasses/"
INGRESS = "/networking.k8s.io/ingressclasses/"


class Classes:
    """What DefaultStorageClass, DefaultIngressClass and PersistentVolumeClaimResize do."""

    def __init__(self, log: Log) -> None:
        """Look for classes in `log`."""
        self.log = log

    async def admit(self, call: Call, new: Object, old: Object | None) -> None:
        """Give a new object the default class."""
        if old is not None or call.subresource:
            return
        if is_claim(call):
            set_storage_class(new, await self._all(STORAGE))
        elif call.resource.kind == "Ingress" and call.resource.group == "networking.k8s.io":
            set_ingress_class(new, await self._all(INGRESS))

    async def judge(self, call: Call, new: Object, old: Object | None) -> None:
        """Let a claim grow only if it is bound, and its class lets it."""
        if old is None or call.subresource or not is_claim(call):
            return
        record = self.log.get(STORAGE + class_of_claim(new))
        problem = growth_problem(new, old, decode(record.value) if record else None)
        if problem:
            raise forbidden("", "persistentvolumeclaims", old["metadata"]["name"], problem)

    async def _all(self, prefix: str) -> list[Object]:
        page = await self.log.list(prefix)
        return [decode(record.value) for record in page.records]


def is_claim(call: Call) -> bool:
    """Tell whether a call is about a persistent volume claim."""
    return call.resource.kind == "PersistentVolumeClaim" and not call.resource.group
