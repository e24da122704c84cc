"""The objects of the benchmark: Pods and ConfigMaps of 2 kB, encoded in bulk."""

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

SIZE = 2048
"""Bytes of one object as JSON."""

START = 1_000_000
"""The revision of every list; the events that follow count on from here."""

KINDS = {"pods": "Pod", "configmaps": "ConfigMap"}
Place = tuple[str, str]
"""A resource and a namespace."""


def item(place: Place, number: int, revision: int) -> bytes:
    """Encode one object; all that are made so have the same size."""
    return _template(place) % (number, number, revision)


def items(place: Place, count: int) -> list[bytes]:
    """Encode the objects of a list."""
    return [item(place, number, START - count + number) for number in range(count)]


def events(place: Place, distinct: int, count: int, *, known: bool) -> Iterator[bytes]:
    """Encode lines of a watch that walks round the objects; those not known are ADDED first."""
    for number in range(count):
        kind = b"MODIFIED" if known or number >= distinct else b"ADDED"
        body = item(place, number % distinct, START + 1 + number)
        yield b'{"type":"%s","object":%s}\n' % (kind, body)


def new(resource: str, name: str) -> bytes:
    """Encode such an object as one sends it to be created."""
    made = json.loads(item((resource, ""), 0, 0))
    kept = {key: made["metadata"][key] for key in ("labels", "annotations")}
    return _encoded(made | {"metadata": {"name": name, **kept}})


@cache
def _template(place: Place) -> bytes:
    # The number is in the name and in the uid, the revision in its own field.
    resource, namespace = place
    head = {"apiVersion": "v1", "kind": KINDS[resource], "metadata": _meta(namespace)}
    made = _pod if resource == "pods" else _config_map
    missing = SIZE - len(_encoded(head | made("")) % (0, 0, 0))
    return _encoded(head | made("x" * missing))


def _encoded(made: Any) -> bytes:
    return json.dumps(made, separators=(",", ":")).encode()


def _meta(namespace: str) -> dict[str, Any]:
    app = {"name": "shop", "instance": "shop-1", "component": "database"}
    return {
        "name": "item-%07d",
        "namespace": namespace,
        "uid": "0e4c3b1a-52d7-4c1e-9f00-%012d",
        "resourceVersion": "%09d",
        "creationTimestamp": "2026-01-01T00:00:00Z",
        "labels": {f"app.kubernetes.io/{key}": value for key, value in app.items()},
        "annotations": {"bench.kedge.dev/owner": "team-a"},
    }


def _config_map(filling: str) -> dict[str, Any]:
    data = {f"key-{i}": f"value {i} of an object with many" for i in range(12)}
    return {"data": {**data, "note": filling}}


def _pod(filling: str) -> dict[str, Any]:
    image = "registry.example.com/shop/database:1.2.3"
    token = {"name": "token", "readOnly": True, "mountPath": "/var/run/secrets/token"}
    container = {
        "name": "database",
        "image": image,
        "args": ["--port=5432", "--data=/data", f"--note={filling}"],
        "ports": [{"name": "sql", "containerPort": 5432, "protocol": "TCP"}],
        "env": [{"name": "MODE", "value": "primary"}, {"name": "SHARDS", "value": "4"}],
        "resources": {"requests": {"cpu": "100m", "memory": "256Mi"}},
        "volumeMounts": [{"name": "data", "mountPath": "/data"}, token],
        "terminationMessagePath": "/dev/termination-log",
        "imagePullPolicy": "IfNotPresent",
    }
    spec = {
        "volumes": [{"name": "data", "emptyDir": {}}],
        "containers": [container],
        "restartPolicy": "Always",
        "terminationGracePeriodSeconds": 30,
        "nodeName": "node-7",
        "tolerations": [{"key": "spot", "operator": "Exists", "effect": "NoExecute"}],
    }
    return {"spec": spec, "status": _pod_status(image)}


def _pod_status(image: str) -> dict[str, Any]:
    since = "2026-01-01T00:00:05Z"
    conditions = [
        {"type": kind, "status": "True", "lastProbeTime": None, "lastTransitionTime": since}
        for kind in ("Initialized", "Ready", "PodScheduled")
    ]
    container = {
        "name": "database",
        "state": {"running": {"startedAt": since}},
        "ready": True,
        "restartCount": 0,
        "image": image,
        "imageID": image,
        "containerID": "containerd://4f1e",
        "started": True,
    }
    ips = {"hostIP": "10.0.0.7", "podIP": "10.1.0.9", "podIPs": [{"ip": "10.1.0.9"}]}
    known = {"conditions": conditions, "containerStatuses": [container], "startTime": since}
    return {"phase": "Running", **known, **ips}
