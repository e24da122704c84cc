"""Plugins find classes and limit ranges among the stored objects."""

import json
from types import SimpleNamespace
from typing import Any

import pytest

from kedge.apiserver.admission.classes import Classes
from kedge.apiserver.admission.limits import Limits
from kedge.apiserver.resource import Object
from kedge.kube.errors import Forbidden

pytestmark = pytest.mark.asyncio


class Rows:
    """As much of the store as the plugins need."""

    def __init__(self, objects: dict[str, Object]) -> None:
        self.rows = {
            key: SimpleNamespace(key=key, value=json.dumps(obj).encode())
            for key, obj in objects.items()
        }

    def get(self, key: str) -> Any:
        return self.rows.get(key)

    async def list(self, prefix: str) -> Any:
        found = [row for key, row in self.rows.items() if key.startswith(prefix)]
        return SimpleNamespace(records=found)


def log(objects: dict[str, Object]) -> Any:
    return Rows(objects)


def call(kind: str, plural: str, group: str = "", subresource: str = "") -> Any:
    resource = SimpleNamespace(kind=kind, plural=plural, group=group)
    return SimpleNamespace(resource=resource, namespace="default", subresource=subresource)


def claim(size: str = "1Gi", **spec: Any) -> Object:
    resources = {"requests": {"storage": size}}
    return {
        "metadata": {"name": "q"},
        "spec": {"resources": resources, **spec},
        "status": {"phase": "Bound"},
    }


def pod() -> Object:
    return {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c"}]}}


CLAIMS = call("PersistentVolumeClaim", "persistentvolumeclaims")
PODS = call("Pod", "pods")
MARK = {"storageclass.kubernetes.io/is-default-class": "true"}
STORAGE: dict[str, Object] = {
    "/storage.k8s.io/storageclasses/fast": {
        "metadata": {"name": "fast", "annotations": MARK},
        "allowVolumeExpansion": True,
    },
    "/storage.k8s.io/storageclasses/fixed": {"metadata": {"name": "fixed"}},
}


def ranges(**limits: Any) -> dict[str, Object]:
    item = {"type": "Container", **limits}
    return {
        "/core/limitranges/default/l": {"metadata": {"name": "l"}, "spec": {"limits": [item]}},
        "/core/limitranges/other/l": {"spec": {"limits": [{**item, "default": {"cpu": "9"}}]}},
    }


async def test_a_new_claim_gets_the_default_class() -> None:
    obj = claim()
    await Classes(log(STORAGE)).admit(CLAIMS, obj, None)
    assert obj["spec"]["storageClassName"] == "fast"


async def test_a_changed_claim_gets_no_class() -> None:
    obj = claim()
    await Classes(log(STORAGE)).admit(CLAIMS, obj, claim())
    assert "storageClassName" not in obj["spec"]


async def test_a_new_ingress_gets_the_default_class() -> None:
    annotations = {"ingressclass.kubernetes.io/is-default-class": "true"}
    stored = {
        "/networking.k8s.io/ingressclasses/nginx": {
            "metadata": {"name": "nginx", "annotations": annotations}
        }
    }
    obj: Object = {"metadata": {"name": "i"}, "spec": {}}
    ingresses = call("Ingress", "ingresses", "networking.k8s.io")
    await Classes(log(stored)).admit(ingresses, obj, None)
    assert obj["spec"]["ingressClassName"] == "nginx"


async def test_a_claim_grows_as_its_class_says() -> None:
    plugin = Classes(log(STORAGE))
    await plugin.judge(
        CLAIMS, claim("2Gi", storageClassName="fast"), claim(storageClassName="fast")
    )
    with pytest.raises(Forbidden) as caught:
        await plugin.judge(
            CLAIMS, claim("2Gi", storageClassName="fixed"), claim(storageClassName="fixed")
        )
    assert caught.value.message == (
        'persistentvolumeclaims "q" is forbidden: only dynamically provisioned pvc can be resized '
        "and the storageclass that provisions the pvc must support resize"
    )


async def test_a_new_pod_gets_the_defaults_of_its_namespace() -> None:
    obj = pod()
    await Limits(log(ranges(default={"cpu": "1"}))).admit(PODS, obj, None)
    assert obj["spec"]["containers"][0]["resources"] == {"limits": {"cpu": "1"}}


async def test_a_pod_beyond_the_bounds_is_refused() -> None:
    with pytest.raises(Forbidden) as caught:
        await Limits(log(ranges(max={"cpu": "1"}))).judge(PODS, pod(), None)
    assert caught.value.message == (
        'pods "p" is forbidden: maximum cpu usage per Container is 1.  No limit is specified'
    )


async def test_a_pod_that_changes_is_not_held_against_the_bounds() -> None:
    await Limits(log(ranges(max={"cpu": "1"}))).judge(PODS, pod(), pod())


async def test_other_kinds_are_left_alone() -> None:
    obj: Object = {"metadata": {"name": "a"}}
    other = call("ConfigMap", "configmaps")
    for plugin in (Classes(log(STORAGE)), Limits(log(ranges(max={"cpu": "1"})))):
        await plugin.admit(other, obj, None)
        await plugin.judge(other, obj, None)
    assert obj == {"metadata": {"name": "a"}}
