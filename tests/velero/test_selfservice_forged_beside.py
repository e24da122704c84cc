"""An archive that a tenant has forged lends nothing when the original restores it.

Skipped without the original: `python tools/velero/build.py` builds it.
"""

import io
import json
import tarfile

import obstore
import pytest

from kedge.kube.kind import Object
from kedge.selfservice.policy import POLICY_NAME
from tests.velero.beside import CONFIG_MAPS, NABSL, NAR, OWN, SHOP, Beside, config_map, copied
from tests.velero.server import NAMESPACE

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]

RBAC = "rbac.authorization.k8s.io"
BINDINGS = f"/apis/{RBAC}/v1/namespaces/{SHOP}/rolebindings"
QUOTAS = f"/api/v1/namespaces/{SHOP}/resourcequotas"


def binding(name: str, kind: str = "RoleBinding") -> Object:
    """Write what gives all rights."""
    return {
        "apiVersion": f"{RBAC}/v1",
        "kind": kind,
        "metadata": {"name": name, **({"namespace": SHOP} if kind == "RoleBinding" else {})},
        "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": "cluster-admin"},
        "subjects": [{"apiGroup": RBAC, "kind": "User", "name": "alice"}],
    }


def service() -> Object:
    """Write a Service whose status draws the traffic for an address."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "drawing", "namespace": SHOP},
        "spec": {"type": "LoadBalancer", "ports": [{"port": 80}]},
        "status": {"loadBalancer": {"ingress": [{"ip": "203.0.113.9"}]}},
    }


def forged() -> dict[str, Object]:
    """Give files of an archive that are not to come back, and some that are."""
    meta = {"name": "odd-folder", "namespace": SHOP}
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": meta}
    return {
        f"resources/configmaps/namespaces/{SHOP}/forged.json": config_map("forged"),
        f"resources/services/namespaces/{SHOP}/drawing.json": service(),
        f"resources/rolebindings.{RBAC}/namespaces/{SHOP}/plain.json": binding("plain"),
        f"resources/rolebindings.made.up/namespaces/{SHOP}/odd-folder.json": binding("odd-folder"),
        f"resources/resourcequotas.made.up/namespaces/{SHOP}/odd-folder.json": quota,
        f"resources/clusterrolebindings.{RBAC}/cluster/plain.json": binding(
            "plain", "ClusterRoleBinding"
        ),
        "resources/clusterrolebindings.made.up/cluster/odd-folder.json": binding(
            "odd-folder", "ClusterRoleBinding"
        ),
    }


def forge(place: Beside, backup: str) -> None:
    """Put files into an archive of the tenant's, who may write to the bucket."""
    store = place.stage.s3.store(OWN)
    (key,) = place.keys(OWN, f"{backup}.tar.gz")
    old, new = io.BytesIO(bytes(obstore.get(store, key).bytes())), io.BytesIO()
    with tarfile.open(fileobj=old) as source, tarfile.open(fileobj=new, mode="w:gz") as target:
        for one in source:
            target.addfile(one, source.extractfile(one))
        for path, obj in forged().items():
            data = json.dumps(obj).encode()
            info = tarfile.TarInfo(path)
            info.size = len(data)
            target.addfile(info, io.BytesIO(data))
    obstore.put(store, key, new.getvalue())


async def test_a_forged_archive_lends_neither_rights_nor_addresses(place: Beside) -> None:
    policy = f"/api/v1/namespaces/{NAMESPACE}/configmaps/{POLICY_NAME}"
    await place.admin.patch(policy, {"data": {"requireApprovalForBSL": "false"}})
    await place.locate("free", place.stage.s3.credentials, place.stage.s3.config)
    await place.until(
        NABSL, "free", lambda one: "phase" in copied(one, "veleroBackupStorageLocation")
    )
    forge(place, await place.saved("mine", storageLocation="free"))
    await place.make(NAR, "forged", {"restoreSpec": {"backupName": "mine"}})
    nar = await place.ended(NAR, "forged")
    assert copied(nar, "veleroRestore")["phase"] == "Completed"
    assert await place.is_there(f"{CONFIG_MAPS}/forged")
    for name in ("plain", "odd-folder"):
        assert not await place.is_there(f"{BINDINGS}/{name}"), name
        assert not await place.is_there(f"/apis/{RBAC}/v1/clusterrolebindings/{name}"), name
    assert not await place.is_there(f"{QUOTAS}/odd-folder")
    drawing = await place.admin.get(f"/api/v1/namespaces/{SHOP}/services/drawing")
    assert drawing["status"] == {"loadBalancer": {}}
