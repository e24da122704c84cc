"""A restore goes on where the API server stumbles, and says so where it is gone."""

from datetime import timedelta
from typing import Any

import pytest

from kedge.aio.backoff import Backoff
from kedge.aio.clock import SystemClock
from kedge.api.velero.restore import RestoreSpec, StatusSelection
from kedge.client.client import Client
from kedge.client.errors import ClientError
from kedge.client.retry import Retrying
from kedge.client.settings import ClientSettings
from kedge.client.where import explicit
from kedge.engine.journal import Journal
from kedge.engine.restore.request import RestoreOutcome, RestoreRun
from kedge.engine.restore.run import Progress, restore
from kedge.kube.errors import Forbidden
from kedge.testing import Cluster, cluster, faults
from tests.integration.engine.slipway import archive_of, obj, widgets

QUICK = ClientSettings(
    per_second=0, retrying=Retrying(attempts=1, backoff=Backoff(first=0.01, most=0.02))
)
OBJECTS = [obj("ConfigMap", f"c{each}", "app", data={"a": "1"}) for each in range(5)]


async def run(
    url: str, patience: float = 30.0, objects: list[dict[str, Any]] = OBJECTS, **spec: Any
) -> tuple[RestoreOutcome, Journal]:
    clock = SystemClock()
    journal = Journal(clock, plain=True)
    told = RestoreRun(
        name="r1",
        namespace="velero",
        backup_name="b1",
        spec=RestoreSpec(backup_name="b1", **spec),
        resource_timeout=timedelta(seconds=patience),
    )
    async with Client(explicit(url), QUICK) as client:
        outcome = await restore(client, told, archive_of(objects), journal, Progress(), clock)
    return outcome, journal


@pytest.mark.parametrize(
    "fault",
    [
        faults.LoseRequest(),
        faults.LoseAnswer(),
        faults.Refuse(faults.failure(503)),
        faults.Refuse(faults.too_many_requests(0)),
        faults.DoneBut(faults.failure(504)),
    ],
    ids=["request-lost", "answer-lost", "unavailable", "too-many", "done-but-timeout"],
)
@pytest.mark.asyncio
async def test_write_that_was_lost_is_sent_again(fault: faults.Fault) -> None:
    async with cluster() as kube, faults.proxy(kube) as proxy:
        proxy.inject(fault, faults.matches(method="POST"), times=3)
        outcome, journal = await run(proxy.url)
        assert journal.errors == 0
        assert journal.warnings == 0
        assert outcome.resource_list == {
            "v1/ConfigMap": [f"app/c{each}(created)" for each in range(5)],
            "v1/Namespace": ["app(created)"],
        }


@pytest.mark.asyncio
async def test_server_that_fails_for_one_object_is_told_for_that_one() -> None:
    async with cluster() as kube, faults.proxy(kube) as proxy:
        proxy.inject(
            faults.Refuse(faults.failure(500)),
            faults.matches(verb="create", resource="configmaps"),
            times=1,
        )
        outcome, journal = await run(proxy.url)
        assert journal.errors == 1
        failed = [each for each in outcome.resource_list["v1/ConfigMap"] if "failed" in each]
        assert len(failed) == 1


@pytest.mark.asyncio
async def test_server_that_is_gone_ends_the_restore() -> None:
    async with cluster() as kube, faults.proxy(kube) as proxy:
        proxy.inject(faults.LoseRequest(), faults.matches(method="POST"))
        with pytest.raises(ClientError):
            await run(proxy.url, patience=0.0)


@pytest.mark.asyncio
async def test_restore_that_died_in_the_middle_can_be_made_again() -> None:
    async with cluster() as kube, faults.proxy(kube) as proxy:
        injection = proxy.inject(
            faults.LoseAnswer(), faults.matches(verb="create", resource="configmaps")
        )
        with pytest.raises(ClientError):
            await run(proxy.url, patience=0.0)
        injection.remove()
        outcome, journal = await run(proxy.url)
        assert (journal.errors, journal.warnings) == (0, 0)
        assert len(outcome.resource_list["v1/ConfigMap"]) == 5
        found = await kube.client.get("/api/v1/namespaces/app/configmaps")
        assert len(found["items"]) == 5


def warnings(journal: Journal) -> list[str]:
    found: list[str] = journal.results()["warnings"].get("namespaces", {}).get("app", [])
    return found


def errors(journal: Journal) -> list[str]:
    found: list[str] = journal.results()["errors"].get("namespaces", {}).get("app", [])
    return found


DEPLOYMENT = obj(
    "Deployment",
    "web",
    "app",
    api="apps/v1",
    spec={
        "selector": {"matchLabels": {"a": "b"}},
        "template": {
            "metadata": {"labels": {"a": "b"}},
            "spec": {"containers": [{"name": "c", "image": "i"}]},
        },
    },
    status={"replicas": 1},
)


@pytest.mark.parametrize(("times", "told"), [(2, 0), (None, 1)])
@pytest.mark.asyncio
async def test_status_that_somebody_else_wrote_is_written_again(
    times: int | None, told: int
) -> None:
    async with cluster() as kube, faults.proxy(kube) as proxy:
        match = faults.matches(verb="update", resource="deployments/status")
        proxy.inject(faults.Refuse(faults.conflict()), match, times=times)
        _, journal = await run(proxy.url, objects=[DEPLOYMENT], restore_status=StatusSelection())
        assert journal.errors == 0
        assert len(warnings(journal)) == told
        assert all(each.startswith("status field update failed: ") for each in warnings(journal))


@pytest.mark.parametrize(
    ("reply", "warned", "failed"),
    [
        (faults.not_found(), ["item not found when patching managed fields: "], []),
        (faults.failure(500), [], ["error patch for managed fields: "]),
    ],
    ids=["gone", "refused"],
)
@pytest.mark.asyncio
async def test_owners_that_can_not_be_written_are_told(
    reply: Any, warned: list[str], failed: list[str]
) -> None:
    owners = [{"manager": "m", "operation": "Apply", "apiVersion": "v1", "fieldsV1": {}}]
    config = obj("ConfigMap", "c", "app", meta={"managedFields": owners})
    async with cluster() as kube, faults.proxy(kube) as proxy:
        proxy.inject(faults.Refuse(reply), faults.matches(verb="patch"))
        outcome, journal = await run(proxy.url, objects=[config])
        assert outcome.resource_list["v1/ConfigMap"] == ["app/c(created)"]
        for found, expected in ((warnings(journal), warned), (errors(journal), failed)):
            assert len(found) == len(expected)
            assert all(map(str.startswith, found, expected))


async def furnish(kube: Cluster) -> None:
    await kube.client.create("/api/v1/namespaces", obj("Namespace", "app"))
    live = obj("ConfigMap", "c0", "app", data={"a": "live"})
    await kube.client.create("/api/v1/namespaces/app/configmaps", live)


@pytest.mark.parametrize(("times", "result"), [(2, "updated"), (None, "failed")])
@pytest.mark.asyncio
async def test_object_that_changed_meanwhile_is_looked_at_again(
    times: int | None, result: str
) -> None:
    async with cluster() as kube, faults.proxy(kube) as proxy:
        await furnish(kube)
        match = faults.matches(verb="patch")
        proxy.inject(faults.Refuse(faults.conflict()), match, times=times)
        outcome, _ = await run(proxy.url, objects=OBJECTS[:1], existing_resource_policy="update")
        assert outcome.resource_list == {"v1/ConfigMap": [f"app/c0({result})"]}


@pytest.mark.asyncio
async def test_object_whose_labels_can_not_be_written_either_is_an_error() -> None:
    async with cluster() as kube, faults.proxy(kube) as proxy:
        await furnish(kube)
        proxy.inject(faults.Refuse(faults.failure(500)), faults.matches(verb="patch"))
        outcome, journal = await run(
            proxy.url, objects=OBJECTS[:1], existing_resource_policy="update"
        )
        assert outcome.resource_list == {"v1/ConfigMap": ["app/c0(failed)"]}
        assert (len(warnings(journal)), len(errors(journal))) == (1, 1)


@pytest.mark.asyncio
async def test_object_that_is_gone_again_is_told() -> None:
    async with cluster() as kube, faults.proxy(kube) as proxy:
        await furnish(kube)
        match = faults.matches(verb="get", resource="configmaps")
        proxy.inject(faults.Refuse(faults.not_found()), match)
        outcome, journal = await run(proxy.url, objects=OBJECTS[:1])
        assert outcome.resource_list == {"v1/ConfigMap": ["app/c0(failed)"]}
        assert warnings(journal)[0].startswith("Unable to retrieve in-cluster version of app/c0: ")


@pytest.mark.asyncio
async def test_definition_that_never_works_is_told() -> None:
    async with cluster() as kube, faults.proxy(kube) as proxy:
        crds = "customresourcedefinitions"
        proxy.inject(faults.Refuse(faults.not_found()), faults.matches(verb="get", resource=crds))
        _, journal = await run(proxy.url, objects=[widgets()])
        assert journal.results()["errors"]["cluster"] == [
            "the CRD widgets.example.com is not available to use for custom resources"
        ]


@pytest.mark.asyncio
async def test_namespace_that_is_refused_is_told_and_the_rest_goes_on() -> None:
    objects = [obj("ConfigMap", "c", "app"), obj("ConfigMap", "c", "other")]
    async with cluster() as kube, faults.proxy(kube) as proxy:
        match = faults.matches(verb="create", resource="namespaces")
        proxy.inject(faults.Refuse(faults.failure(500)), match, times=1)
        outcome, journal = await run(proxy.url, objects=objects)
        (error,) = journal.results()["errors"]["velero"]
        assert error.startswith("error creating namespace ")
        results = sorted(each.partition("(")[2] for each in outcome.resource_list["v1/ConfigMap"])
        assert results == ["created)", "failed)"]


def forbidden(request: faults.Request) -> faults.Answer:
    return faults.answer_status(Forbidden("you may not").status)


@pytest.mark.parametrize(("there", "failures"), [(True, 0), (False, 1)])
@pytest.mark.asyncio
async def test_namespace_that_we_may_not_make_may_be_there(there: bool, failures: int) -> None:
    async with cluster() as kube, faults.proxy(kube) as proxy:
        if there:
            await kube.client.create("/api/v1/namespaces", obj("Namespace", "app"))
        match = faults.matches(verb="create", resource="namespaces")
        proxy.inject(faults.Refuse(forbidden), match)
        outcome, journal = await run(proxy.url)
        assert journal.errors == failures
        assert ("app/c0(created)" in outcome.resource_list["v1/ConfigMap"]) is there
