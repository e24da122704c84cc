"""Saves pods between their hooks."""

from collections.abc import Sequence
from dataclasses import dataclass

from kedge.engine.backup.hooks import POST, PRE, Hooks
from kedge.engine.backup.items import Head, Raw
from kedge.engine.backup.needs import Needs
from kedge.engine.backup.relations import POD, Pod
from kedge.engine.backup.save import Saver
from kedge.engine.backup.saved import Type, key_of
from kedge.engine.journal import Journal


@dataclass
class PodSaver:
    """Runs the hooks of pods around the saving of them and of what they need."""

    saver: Saver
    hooks: Hooks
    needs: Needs
    journal: Journal

    async def save(self, type_: Type, pods: Sequence[tuple[Raw, Head]]) -> None:
        """Save pods as a block: first the hooks of all, then all pods, then the hooks again."""
        hooked = [(raw, pod) for raw, head in pods if (pod := self._hooked(type_, raw, head))]
        begun = []
        for _, pod in hooked:
            if await self.hooks.run(pod, PRE):
                begun.append(pod)
            else:
                self._refuse(type_, pod)
        for raw, head in pods:
            await self.saver.save(type_, raw, head)
        if hooked:
            await self.needs.settle()
        for pod in begun:
            await self.hooks.run(pod, POST)

    def _hooked(self, type_: Type, raw: Raw, head: Head) -> Pod | None:
        """Give a pod that is going to be saved, and has hooks."""
        meta = head.metadata
        key = key_of(meta.namespace, meta.name)
        if key in type_.saved or key in type_.refused or self.saver.reason(type_, meta):
            return None
        try:
            pod = POD.decode(raw)
        except ValueError:
            return None  # whoever saves it tells
        return pod if self.hooks.has_any(pod) else None

    def _refuse(self, type_: Type, pod: Pod) -> None:
        meta = pod.metadata
        type_.refused.add(key_of(meta.namespace, meta.name))
        self.journal.error(
            "Error running pre hooks for pod, so it is not in the backup",
            resource=type_.name,
            namespace=meta.namespace,
            name=meta.name,
        )
