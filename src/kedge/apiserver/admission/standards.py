"""Namespaces: the labels that set a standard for pods, and the pods that are not up to it."""

from collections.abc import Mapping

from kedge.apiserver.builtin.podsecurity.evaluate import judge_namespace
from kedge.apiserver.builtin.podsecurity.policy import (
    PREFIX,
    check_labels,
    is_tighter,
    policy_of,
)
from kedge.apiserver.call import Call
from kedge.apiserver.objects import decode
from kedge.apiserver.resource import Object
from kedge.kube.errors import invalid
from kedge.store import Log

PODS = "/core/pods/"


class Standards:
    """What kube-apiserver's plugin PodSecurity does about namespaces."""

    def __init__(self, log: Log) -> None:
        """Look for pods in `log`."""
        self.log = log

    async def admit(self, call: Call, new: Object, old: Object | None) -> None:
        """Leave the object as it is."""

    async def judge(self, call: Call, new: Object, old: Object | None) -> None:
        """Refuse labels that say nothing, unless they did so before; warn of pods."""
        resource = call.resource
        if resource.kind != "Namespace" or resource.group or call.subresource:
            return
        labels, before = _labels(new), _labels(old) if old is not None else {}
        if labels == before:
            return
        errors = check_labels(labels)
        if errors and errors != check_labels(before):
            raise invalid("", "Namespace", new["metadata"].get("name", ""), errors)
        enforce = policy_of(labels).enforce
        if old is not None and is_tighter(enforce, policy_of(before).enforce):
            name = new["metadata"]["name"]
            page = await self.log.list(f"{PODS}{name}/")
            pods = (decode(record.value) for record in page.records)
            for text in judge_namespace(name, enforce, pods):
                call.warn(text)


def _labels(namespace: Object) -> Mapping[str, str]:
    """Give the labels that matter here."""
    labels = namespace["metadata"].get("labels") or {}
    return {key: value for key, value in labels.items() if key.startswith(PREFIX)}
