"""What a backup of the server's own namespace holds must not be asked for again by a restore."""

from typing import Any

import pytest

from tests.integration.engine.slipway import PLURALS, Object, obj, slipway

VELERO = "velero.io/v1"
REQUESTS: dict[str, tuple[str, dict[str, Any]]] = {
    "DeleteBackupRequest": ("deletebackuprequests", {"backupName": "nightly"}),
    "DownloadRequest": ("downloadrequests", {"target": {"kind": "BackupLog", "name": "nightly"}}),
    "ServerStatusRequest": ("serverstatusrequests", {}),
}


def definition(kind: str, plural: str) -> Object:
    schema: Object = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1", "served": True, "storage": True}
    return obj(
        "CustomResourceDefinition",
        f"{plural}.velero.io",
        api="apiextensions.k8s.io/v1",
        spec={
            "group": "velero.io",
            "scope": "Namespaced",
            "names": {"kind": kind, "plural": plural},
            "versions": [{**version, "schema": {"openAPIV3Schema": schema}}],
        },
    )


def request(kind: str, spec: dict[str, Any]) -> Object:
    return obj(kind, "one", "app", api=VELERO, spec=spec, status={"phase": "Processed"})


@pytest.mark.asyncio
async def test_requests_that_were_answered_do_not_come_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    archived: list[Object] = [obj("ConfigMap", "c", "app")]
    for kind, (plural, spec) in REQUESTS.items():
        monkeypatch.setitem(PLURALS, kind, f"{plural}.velero.io")
        archived += [definition(kind, plural), request(kind, spec)]
    async with slipway() as way:
        done = await way.restore(archived)
        assert done.errors == done.warnings == []
        for kind, (plural, _) in REQUESTS.items():
            assert (await way.get(f"/apis/velero.io/v1/{plural}"))["items"] == []
            assert done.outcome.resource_list[f"{VELERO}/{kind}"] == ["app/one(skipped)"]
        changes = await way.preview(archived)
        skipped = {one.place.resource for one in changes if one.action == "skipped"}
        assert {f"{plural}.velero.io" for plural, _ in REQUESTS.values()} <= skipped
