"""What is changed on objects that go to another place, or to another sort of cluster."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from kedge.engine.restore.actions.definition import V1, renew_definition
from kedge.engine.restore.actions.situation import Situation
from kedge.engine.restore.fields import made, rows, table, text, value
from kedge.kube.kind import Object

WEBHOOKS: Final = "admissionregistration.k8s.io"
SIDE_EFFECTS: Final = ("None", "NoneOnDryRun")
POD_SPECS: Final[Mapping[str, tuple[str, ...]]] = {
    "pods": ("spec",),
    "cronjobs.batch": ("spec", "jobTemplate", "spec", "template", "spec"),
    "deployments.apps": ("spec", "template", "spec"),
    "statefulsets.apps": ("spec", "template", "spec"),
    "daemonsets.apps": ("spec", "template", "spec"),
    "replicasets.apps": ("spec", "template", "spec"),
    "replicationcontrollers": ("spec", "template", "spec"),
    "jobs.batch": ("spec", "template", "spec"),
}
"""Where each resource that has containers keeps the spec of its pods."""


def change_images(resource: str, obj: Object, situation: Situation) -> None:
    """Name images by the rules of the ConfigMap for that."""
    path = POD_SPECS.get(resource)
    if path is None or not situation.images:
        return
    for field in ("containers", "initContainers"):
        for container in rows(obj, *path, field):
            image = text(container, "image")
            for old, new in situation.images:
                if image and old in image:
                    container["image"] = image.replace(old, new)
                    break


def image_rules(data: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Read rules of the form `old,new`; others say nothing."""
    found = []
    for _, row in sorted(data.items()):
        old, comma, new = row.partition(",")
        if comma and new:
            found.append((old.strip(), new.strip()))
    return tuple(found)


def storage_classes(resource: str, obj: Object) -> Iterator[Object]:
    """Give the parts of an object that name a storage class."""
    if resource == "statefulsets.apps":
        for template in rows(obj, "spec", "volumeClaimTemplates"):
            yield table(template, "spec")
    elif resource in ("persistentvolumes", "persistentvolumeclaims"):
        yield table(obj, "spec")


def change_classes(resource: str, obj: Object, situation: Situation) -> None:
    """Name storage classes by the ConfigMap for that."""
    if not situation.classes:
        return
    for spec in storage_classes(resource, obj):
        new = situation.classes.get(text(spec, "storageClassName"))
        if new is not None:
            spec["storageClassName"] = new


def map_subjects(binding: Object, situation: Situation) -> None:
    """Name the namespaces into which the service accounts of a binding go."""
    for subject in rows(binding, "subjects"):
        namespace = text(subject, "namespace")
        if namespace in situation.mapping:
            subject["namespace"] = situation.mapping[namespace]


def map_claim(volume: Object, situation: Situation) -> None:
    """Name the namespace into which the claim of a volume goes."""
    claim = table(volume, "spec", "claimRef")
    namespace = text(claim, "namespace")
    if namespace in situation.mapping:
        claim["namespace"] = situation.mapping[namespace]


def keep_unknown_fields(definition: Object, _: Situation) -> None:
    """Say that unknown fields are kept in the way that v1 takes."""
    renew_definition(definition)
    spec = table(definition, "spec")
    if definition.get("apiVersion") != V1:
        return
    # A server does not keep false, so that it would make what is there look different.
    if spec.pop("preserveUnknownFields", None) is not True:
        return
    for version in rows(spec, "versions"):
        if isinstance(value(version, "schema", "openAPIV3Schema"), dict):
            made(version, "schema", "openAPIV3Schema")["x-kubernetes-preserve-unknown-fields"] = (
                True
            )


def clean_side_effects(configuration: Object, _: Situation) -> None:
    """Say that webhooks have no side effects where v1 takes no other word."""
    if configuration.get("apiVersion") != f"{WEBHOOKS}/v1":
        return
    for webhook in rows(configuration, "webhooks"):
        if webhook.get("sideEffects") not in SIDE_EFFECTS:
            webhook["sideEffects"] = "None"


CHANGES: Final[Mapping[str, Callable[[Object, Situation], None]]] = {
    "rolebindings.rbac.authorization.k8s.io": map_subjects,
    "clusterrolebindings.rbac.authorization.k8s.io": map_subjects,
    "persistentvolumes": map_claim,
    "customresourcedefinitions.apiextensions.k8s.io": keep_unknown_fields,
    f"mutatingwebhookconfigurations.{WEBHOOKS}": clean_side_effects,
    f"validatingwebhookconfigurations.{WEBHOOKS}": clean_side_effects,
}
"""By resource."""
