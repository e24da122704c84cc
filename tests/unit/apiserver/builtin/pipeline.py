"""What the server does to a built-in object between the body and the store, without a server."""

import copy
import json
from typing import Any

from kedge.apiserver import catalog
from kedge.apiserver.builtin.registry import strategy_for
from kedge.apiserver.kinds.schemas import schema_of_kind
from kedge.apiserver.resource import Context, Object, Strategy
from kedge.apiserver.typed.body import media_of
from kedge.apiserver.typed.interpret import Kind
from kedge.apiserver.typed.reading import read_typed
from kedge.kube.errors import ApiError, invalid
from kedge.kube.metadata import validate_meta, validate_meta_update
from tests.unit.apiserver.builtin.other_kinds import OTHER_KINDS, OTHERS_CLUSTER_WIDE

NOW = "2024-01-01T00:00:00Z"
UID = "11111111-2222-3333-4444-555555555555"
KINDS = {
    "pods": ("", "v1", "Pod"),
    "podtemplates": ("", "v1", "PodTemplate"),
    "replicationcontrollers": ("", "v1", "ReplicationController"),
    "controllerrevisions": ("apps", "v1", "ControllerRevision"),
    "daemonsets": ("apps", "v1", "DaemonSet"),
    "deployments": ("apps", "v1", "Deployment"),
    "replicasets": ("apps", "v1", "ReplicaSet"),
    "statefulsets": ("apps", "v1", "StatefulSet"),
    "cronjobs": ("batch", "v1", "CronJob"),
    "jobs": ("batch", "v1", "Job"),
    "autoscaling/v1": ("autoscaling", "v1", "HorizontalPodAutoscaler"),
    "autoscaling/v2": ("autoscaling", "v2", "HorizontalPodAutoscaler"),
    "poddisruptionbudgets": ("policy", "v1", "PodDisruptionBudget"),
    "priorityclasses": ("scheduling.k8s.io", "v1", "PriorityClass"),
    **OTHER_KINDS,
}
CLUSTER_WIDE = {"priorityclasses", *OTHERS_CLUSTER_WIDE}
Answer = tuple[int, Object, list[str]]
"""Code, body and warnings."""


def api_version(kind: str) -> str:
    group, version, _ = KINDS[kind]
    return f"{group}/{version}" if group else version


def plural(kind: str) -> str:
    if kind.startswith("autoscaling/"):
        return "horizontalpodautoscalers"
    return kind.rpartition("/")[2]


def strategy(kind: str) -> Strategy:
    group, version, name = KINDS[kind]
    found = strategy_for(group, version, name)
    found.has_generation = (group, plural(kind)) in catalog.COUNTED
    return found


def decode(kind: str, obj: Object) -> Object:
    """Read and fill in an object."""
    group, version, name = KINDS[kind]
    schema = schema_of_kind(api_version(kind), name)
    assert schema is not None
    body = json.dumps({"apiVersion": api_version(kind), "kind": name, **obj}).encode()
    media = media_of("application/json")
    decoded = read_typed(body, media, Kind(group, version, name), schema, "Ignore").obj
    decoded.setdefault("metadata", {})
    strategy(kind).default(decoded)
    return decoded


def create(kind: str, obj: Object) -> Answer:
    """Answer a POST."""
    group, _, name = KINDS[kind]
    hooks, new = strategy(kind), decode(kind, obj)
    meta: dict[str, Any] = new["metadata"]
    if kind not in CLUSTER_WIDE:
        meta["namespace"] = "default"
    meta |= {"creationTimestamp": NOW, "uid": UID}
    if hooks.has_generation:
        meta["generation"] = 1
    context = Context(meta.get("namespace", ""), now=NOW, dry_run=True)
    try:
        hooks.prepare_create(new, context)
        errors = validate_meta(
            meta, namespaced=kind not in CLUSTER_WIDE, validate_name=hooks.validate_name
        )
        special = hooks.validate(new, context)
        errors = special if special and not hooks.checks_metadata else errors + special
        if errors:
            raise invalid(group, name, meta.get("name", ""), errors)
    except ApiError as refused:
        return refused.code, refused.status, []
    return 201, new, hooks.warnings(new, None)


def update(kind: str, new: Object, live: Object, subresource: str = "") -> Answer:
    """Answer a PUT."""
    group, _, name = KINDS[kind]
    hooks, new, old = strategy(kind), decode(kind, new), copy.deepcopy(live)
    meta, before = new["metadata"], old["metadata"]
    meta.pop("generation", None)
    meta |= {
        key: before[key] for key in ("uid", "generation", "creationTimestamp") if key in before
    }
    meta["resourceVersion"] = before["resourceVersion"] = "1"
    context = Context(before.get("namespace", ""), subresource, now=NOW, dry_run=True)
    try:
        hooks.prepare_update(new, old, context)
        if hooks.has_generation and hooks.has_changed(new, old):
            meta["generation"] = before.get("generation", 0) + 1
        errors = validate_meta(
            meta, namespaced=kind not in CLUSTER_WIDE, validate_name=lambda name, prefix: []
        )
        errors += validate_meta_update(meta, before)
        errors += hooks.validate_update(new, old, context)
        if errors:
            raise invalid(group, name, meta.get("name", ""), errors)
    except ApiError as refused:
        return refused.code, refused.status, []
    return 200, new, hooks.warnings(new, old)
