"""All that happens to one object by its kind, and what must come back with it."""

from collections.abc import Iterator
from typing import Final

from kedge.archive.item import Place
from kedge.engine.restore.actions.change import CHANGES, change_classes, change_images
from kedge.engine.restore.actions.inithooks import add_init_containers
from kedge.engine.restore.actions.ports import shed_ports
from kedge.engine.restore.actions.shed import claims_of, shed
from kedge.engine.restore.actions.situation import Situation
from kedge.engine.restore.actions.skip import clean_token, is_token
from kedge.engine.restore.fields import text
from kedge.kube.kind import Object

VOLUMES: Final = "persistentvolumes"
CLAIMS: Final = "persistentvolumeclaims"
PRIORITIES: Final = "priorityclasses.scheduling.k8s.io"
BOUND: Final = "Bound"


def forget(resource: str, obj: Object, situation: Situation) -> None:
    """Take off an object, be it to come back or be it there, what the cluster fills in anew."""
    shed(resource, obj)
    if resource == "services" and situation.spec.preserve_node_ports is not True:
        shed_ports(obj)
    if resource == "secrets" and is_token(obj):
        clean_token(obj)


def act(resource: str, obj: Object, situation: Situation) -> None:
    """Change an object in all ways that its kind asks for; raises ItemError."""
    forget(resource, obj, situation)
    change = CHANGES.get(resource)
    if change is not None:
        change(obj, situation)
    change_images(resource, obj, situation)
    change_classes(resource, obj, situation)
    if resource == "pods" and situation.runs_hooks:
        add_init_containers(obj, situation)


def belongings(resource: str, original: Object) -> Iterator[Place]:
    """Give the objects, of the backup, that must be there before one that needs them."""
    if resource == "pods":
        namespace = text(original, "metadata", "namespace")
        for claim in claims_of(original):
            yield Place(CLAIMS, namespace, claim)
        priority = text(original, "spec", "priorityClassName")
        if priority:
            yield Place(PRIORITIES, "", priority)
    elif resource == CLAIMS:
        volume = text(original, "spec", "volumeName")
        if volume and text(original, "status", "phase") == BOUND:
            yield Place(VOLUMES, "", volume)
