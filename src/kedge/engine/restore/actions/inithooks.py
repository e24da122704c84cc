"""Containers that run before those of a pod that comes back."""

import uuid
from collections.abc import Iterator
from typing import Any, Final

from kedge.api.velero.labels import INIT_RESTORE_HOOK
from kedge.engine.restore.actions.situation import Situation
from kedge.engine.restore.fields import annotations, labels, made, text, value
from kedge.engine.restore.hooks import applicable, command_of
from kedge.engine.restore.identity import ItemError
from kedge.engine.restore.validate import INIT_PROBLEM, is_whole
from kedge.kube.kind import Object

WAIT: Final = "restore-wait"
"""The container that waits for the data of volumes: it stays the first."""


def add_init_containers(pod: Object, situation: Situation) -> None:
    """Put the containers of annotations, or else of the Restore, before those of a pod."""
    own = value(pod, "spec", "initContainers")
    rest = list(own) if isinstance(own, list) else []
    first: list[Any] = []
    if rest and isinstance(rest[0], dict) and rest[0].get("name") == WAIT:
        first, rest = rest[:1], rest[1:]
    annotated = _annotated(pod)
    added = [annotated] if annotated else list(_from_spec(pod, situation))
    if added:
        made(pod, "spec")["initContainers"] = [*first, *added, *rest]


def _annotated(pod: Object) -> Object:
    found = annotations(pod)
    image = found.get(f"{INIT_RESTORE_HOOK}container-image")
    if not image:
        return {}
    name = found.get(f"{INIT_RESTORE_HOOK}container-name")
    # The same pod gets the same name, so that a preview tells what a restore does.
    seed = f"{text(pod, 'metadata', 'namespace')}/{text(pod, 'metadata', 'name')}"
    container = {
        "image": image,
        "name": name or f"velero-restore-init-{uuid.uuid5(uuid.NAMESPACE_OID, seed).hex[:8]}",
    }
    command = command_of(found.get(f"{INIT_RESTORE_HOOK}command") or "")
    return {**container, "command": command} if command else container


def _from_spec(pod: Object, situation: Situation) -> Iterator[Object]:
    namespace = text(pod, "metadata", "namespace")
    namespace = situation.mapping.get(namespace, namespace)
    for group in applicable(situation.spec.hooks, namespace, labels(pod)):
        for hook in group.post_hooks or ():
            for container in (hook.init and hook.init.init_containers) or ():
                if not is_whole(container):
                    raise ItemError(INIT_PROBLEM)
                yield dict(container)
