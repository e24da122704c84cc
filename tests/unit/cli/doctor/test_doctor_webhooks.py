"""The doctor looks for webhooks that nobody answers, on a cluster that is made by hand."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from kedge.cli.doctor.finding import Finding
from kedge.cli.doctor.patient import Patient
from kedge.cli.doctor.webhooks import CONFIGURATIONS, SLICES, webhooks
from kedge.cli.install.kinds import NAMESPACE, SERVICE
from kedge.client import Selection
from kedge.client.responses import Page
from kedge.kube.errors import Forbidden, NotFound
from kedge.kube.kind import Kind, Object
from tests.unit.cli.status.seen import view

VALIDATING, MUTATING = CONFIGURATIONS
EVERYTHING = {"apiGroups": ["*"], "resources": ["*"], "operations": ["*"]}
BACKUPS = {"apiGroups": ["velero.io"], "resources": ["backups"], "operations": ["CREATE"]}
PODS = {"apiGroups": [""], "resources": ["pods"], "operations": ["CREATE", "UPDATE"]}
READY = {"endpoints": [{"addresses": ["10.0.0.1"]}]}


class Cluster:
    """Answers as a cluster with these objects does."""

    def __init__(self, *objects: tuple[Kind[Any], Object]) -> None:
        home = {"metadata": {"name": "velero", "labels": {"team": "backup"}}}
        self.objects = [(NAMESPACE, home), *objects]
        self.hidden: set[str] = set()

    async def pages(self, kind: Kind[Any], selection: Selection, size: int) -> AsyncIterator[Any]:
        if kind.name in self.hidden:
            raise Forbidden("no")
        yield Page([one for other, one in self.objects if other is kind], "1")

    async def list(self, kind: Kind[Any], selection: Selection) -> AsyncIterator[Object]:
        for other, one in self.objects:
            if other is kind and f"kubernetes.io/service-name={one['of']}" == selection.labels:
                yield one

    async def get(self, kind: Kind[Any], name: str, place: str | None) -> Object:
        if kind.name in self.hidden:
            raise Forbidden("no")
        for other, one in self.objects:
            if other is kind and one["metadata"]["name"] == name:
                return one
        raise NotFound("gone")


def configuration(*rules: Object, **fields: Any) -> Object:
    service = {"namespace": "policies", "name": "judge"}
    webhook = {"name": "judge.example.com", "clientConfig": {"service": service}}
    webhook |= {"rules": list(rules)} | fields
    return {"metadata": {"name": "judge"}, "webhooks": [webhook]}


async def findings(cluster: Cluster) -> list[Finding]:
    patient = Patient(cluster, view(), None)  # type: ignore[arg-type]
    return [one async for one in webhooks(patient)]


def service(**spec: Any) -> tuple[Kind[Any], Object]:
    return SERVICE, {"metadata": {"name": "judge"}, "spec": spec}


@pytest.mark.asyncio
async def test_a_webhook_without_its_service_that_our_kinds_need_fails() -> None:
    (found,) = await findings(Cluster((VALIDATING, configuration(BACKUPS))))
    assert found.level == "fail"
    assert found.text == (
        "judge.example.com of ValidatingWebhookConfiguration judge refuses all backups.velero.io,"
        " which the server writes: there is no Service policies/judge"
    )
    assert "`kubectl delete validatingwebhookconfiguration judge`" in found.fix


@pytest.mark.asyncio
async def test_one_for_other_kinds_is_in_the_way_of_restores() -> None:
    (found,) = await findings(Cluster((MUTATING, configuration(PODS))))
    assert found.level == "warn"
    assert "refuses all pods, which a restore may bring back" in found.text
    assert "mutatingwebhookconfiguration judge" in found.fix


@pytest.mark.asyncio
async def test_a_service_that_nothing_runs_behind_is_none() -> None:
    idle = (SLICES, {"of": "judge", "endpoints": [{"conditions": {"ready": False}}]})
    other = (SLICES, {"of": "another", **READY})
    (found,) = await findings(
        Cluster((VALIDATING, configuration(EVERYTHING)), service(), idle, other)
    )
    assert found.level == "fail"
    assert "refuses all objects" in found.text
    assert found.text.endswith("nothing runs behind Service policies/judge")


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "objects",
    [
        pytest.param([service(), (SLICES, {"of": "judge", **READY})], id="it runs"),
        pytest.param([service(type="ExternalName")], id="it is elsewhere"),
    ],
)
async def test_one_that_is_answered_is_fine(objects: Any) -> None:
    (found,) = await findings(Cluster((VALIDATING, configuration(BACKUPS)), *objects))
    assert (found.level, found.text) == (
        "ok",
        "1 may refuse what is written, and all are answered",
    )


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "harmless",
    [
        pytest.param(configuration(BACKUPS, failurePolicy="Ignore"), id="it may fail"),
        pytest.param(configuration(BACKUPS | {"operations": ["DELETE"]}), id="of deletion"),
        pytest.param(configuration(), id="of nothing"),
        pytest.param(configuration(BACKUPS, clientConfig={"url": "https://x"}), id="of a URL"),
        pytest.param({"metadata": {"name": "empty"}}, id="empty"),
    ],
)
async def test_one_that_refuses_nothing_is_left_out(harmless: Object) -> None:
    (found,) = await findings(Cluster((VALIDATING, harmless)))
    assert (found.level, found.text) == ("ok", "none may refuse what is written")


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("fields", "level"),
    [
        ({"namespaceSelector": {"matchLabels": {"team": "backup"}}}, "fail"),
        ({"namespaceSelector": {}}, "fail"),
        ({"namespaceSelector": {"matchLabels": {"team": "shop"}}}, "warn"),
        ({"namespaceSelector": {"matchExpressions": [{"key": "a"}]}}, "warn"),
        ({"objectSelector": {"matchLabels": {"a": "b"}}}, "warn"),
        ({"matchConditions": [{"name": "a", "expression": "false"}]}, "warn"),
    ],
)
async def test_who_is_asked_about_some_objects_only_need_not_be_in_our_way(
    fields: Object, level: str
) -> None:
    (found,) = await findings(Cluster((VALIDATING, configuration(BACKUPS, **fields))))
    assert found.level == level


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("group", "resource", "level"),
    [
        ("velero.io", "*", "fail"),
        ("velero.io", "backups/status", "fail"),
        ("velero.io", "backups/*", "fail"),
        ("velero.io", "*/*", "fail"),
        ("velero.io", "backups/scale", "warn"),
        ("coordination.k8s.io", "leases", "fail"),
        ("oadp.openshift.io", "nonadminbackups/status", "fail"),
        ("*", "backups", "fail"),
        ("apps", "*", "warn"),
        ("", "pods", "warn"),
    ],
)
async def test_rules_are_read_as_the_server_does(group: str, resource: str, level: str) -> None:
    rule = {"apiGroups": [group], "resources": [resource], "operations": ["UPDATE"]}
    (found,) = await findings(Cluster((VALIDATING, configuration(rule))))
    assert found.level == level


@pytest.mark.asyncio
async def test_who_may_not_see_them_is_told_nothing_of_them() -> None:
    cluster = Cluster((VALIDATING, configuration(BACKUPS)))
    cluster.hidden = {VALIDATING.name}
    assert await findings(cluster) == []


@pytest.mark.asyncio
async def test_a_service_that_may_not_be_seen_is_not_accused() -> None:
    cluster = Cluster((VALIDATING, configuration(BACKUPS)))
    cluster.hidden = {SERVICE.name}
    (found,) = await findings(cluster)
    assert found.level == "ok"
