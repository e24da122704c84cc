"""Pods: priority and runtime classes, and the pod security standard of their namespace."""

from collections.abc import Iterable

import msgspec

from kedge.apiserver.builtin.pods.admission import admit_pod, check_overhead
from kedge.apiserver.builtin.podsecurity.evaluate import judge_pod, judge_workload
from kedge.apiserver.call import Call
from kedge.apiserver.objects import decode
from kedge.apiserver.resource import Object
from kedge.store import Log

PRIORITIES = "/scheduling.k8s.io/priorityclasses/"
RUNTIMES = "/node.k8s.io/runtimeclasses/"
NAMESPACES = "/core/namespaces/"
SECURITY = b"pod-security.kubernetes.io/"


class _Meta(msgspec.Struct):
    labels: dict[str, str] | None = None


class _Head(msgspec.Struct):
    metadata: _Meta


_read_head = msgspec.json.Decoder(_Head).decode


class Pods:
    """What kube-apiserver's plugins Priority, RuntimeClass and PodSecurity do."""

    def __init__(self, log: Log) -> None:
        """Look for classes and namespaces in `log`."""
        self.log = log

    async def admit(self, call: Call, new: Object, old: Object | None) -> None:
        """Give a new pod the priority and overhead of its classes."""
        if old is not None or not _is_pod(call):
            return
        classes = {PRIORITIES: await self._all(PRIORITIES)}
        if new["spec"].get("runtimeClassName"):
            classes[RUNTIMES] = await self._all(RUNTIMES)

        def found(group: str, plural: str) -> Iterable[Object]:
            return classes.get(f"/{group}/{plural}/", [])

        admit_pod(new, found)

    async def judge(self, call: Call, new: Object, old: Object | None) -> None:
        """Hold pods, and templates of pods, against the standard of the namespace."""
        if not call.resource.namespaced or call.subresource == "status" or "spec" not in new:
            return
        if _is_pod(call):
            if old is None and new["spec"].get("overhead"):
                runtimes = await self._all(RUNTIMES)
                check_overhead(new, lambda group, plural: runtimes)
            warnings = judge_pod(new, self._labels(call.namespace), old)
        else:
            warnings = judge_workload(call.resource.kind, new, self._labels(call.namespace))
        for text in warnings:
            call.warn(text)

    def _labels(self, namespace: str) -> dict[str, str] | None:
        record = self.log.get(NAMESPACES + namespace)
        if record is None or SECURITY not in record.value:
            return None
        return _read_head(record.value).metadata.labels

    async def _all(self, prefix: str) -> list[Object]:
        page = await self.log.list(prefix)
        return [decode(record.value) for record in page.records]


def _is_pod(call: Call) -> bool:
    return call.resource.kind == "Pod" and not call.resource.group
