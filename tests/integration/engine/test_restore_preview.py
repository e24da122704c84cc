"""A preview tells what a restore does, and changes nothing."""

from typing import Any

import pytest

from kedge.archive.item import Place
from kedge.engine.restore.modifiers import read
from kedge.engine.restore.preview import Action, Change
from tests.integration.engine.slipway import obj, slipway, widgets

MAPS = "/api/v1/namespaces/app/configmaps"


def told(changes: list[Change]) -> dict[str, str]:
    return {
        f"{each.place.resource}/{each.place.namespace}/{each.place.name}": each.action.value
        for each in changes
    }


def objects() -> list[dict[str, Any]]:
    return [
        obj("Namespace", "app"),
        obj("Namespace", "fresh"),
        obj("ConfigMap", "same", "app", data={"a": "1"}),
        obj("ConfigMap", "other", "app", data={"a": "backup"}),
        obj("ConfigMap", "new", "fresh"),
        obj("Secret", "s", "app", type="Opaque", data={"password": "YmFja3VwLXZhbHVl"}),
        obj("Pod", "done", "app", status={"phase": "Succeeded"}),
        widgets(),
        obj("Widget", "w", "app", api="example.com/v1"),
    ]


async def furnish(ship: Any) -> None:
    await ship.namespace("app")
    await ship.make(MAPS, obj("ConfigMap", "same", "app", data={"a": "1"}))
    await ship.make(MAPS, obj("ConfigMap", "other", "app", data={"a": "live"}))
    secret = obj("Secret", "s", "app", type="Opaque", data={"password": "bGl2ZS12YWx1ZQ=="})
    await ship.make("/api/v1/namespaces/app/secrets", secret)


@pytest.mark.asyncio
async def test_preview_tells_all_and_writes_nothing() -> None:
    async with slipway() as ship:
        await furnish(ship)
        before = (await ship.get("/api/v1/namespaces"))["items"]
        changes = await ship.preview(objects())
        assert set(ship.requests) == {"GET"}
        assert told(changes) == {
            "customresourcedefinitions.apiextensions.k8s.io//widgets.example.com": "created",
            "namespaces//app": "unchanged",
            "namespaces//fresh": "created",
            "secrets/app/s": "skipped",
            "configmaps/app/same": "unchanged",
            "configmaps/app/other": "skipped",
            "configmaps/fresh/new": "created",
            "pods/app/done": "skipped",
            "widgets.example.com/app/w": "created",
        }
        assert [each.place.resource for each in changes][:3] == [
            "customresourcedefinitions.apiextensions.k8s.io",
            "namespaces",
            "namespaces",
        ]
        other = next(each for each in changes if each.place.name == "other")
        assert "already exists" in other.reason
        assert "-  a: live" in other.diff
        assert "+  a: backup" in other.diff
        assert (await ship.get("/api/v1/namespaces"))["items"] == before


@pytest.mark.asyncio
async def test_preview_shows_what_an_update_changes_but_no_secret() -> None:
    async with slipway() as ship:
        await furnish(ship)
        changes = await ship.preview(objects(), existing_resource_policy="update")
        assert set(ship.requests) == {"GET"}
        by_name = {each.place.name: each for each in changes}
        assert by_name["other"].action is Action.UPDATED
        assert "+    velero.io/restore-name: r1" in by_name["other"].diff
        assert by_name["same"].action is Action.UPDATED
        assert by_name["same"].reason == "only the labels of the restore change"
        assert by_name["s"].action is Action.UPDATED
        assert "password: (not shown, changed)" in by_name["s"].diff
        everything = "".join(each.diff + each.reason for each in changes)
        assert "YmFja3VwLXZhbHVl" not in everything
        assert "bGl2ZS12YWx1ZQ==" not in everything


@pytest.mark.parametrize("policy", [None, "none", "update"])
@pytest.mark.asyncio
async def test_restore_does_what_the_preview_told(policy: str | None) -> None:
    async with slipway() as ship:
        await furnish(ship)
        changes = await ship.preview(objects(), existing_resource_policy=policy)
        report = await ship.restore(objects(), existing_resource_policy=policy)
        assert report.errors == []
        done = {
            entry.rpartition("(")[0]: entry.rpartition("(")[2].rstrip(")")
            for entries in report.outcome.resource_list.values()
            for entry in entries
        }
        for change in changes:
            where = f"{change.place.namespace}/{change.place.name}".lstrip("/")
            if change.action in (Action.CREATED, Action.UPDATED) and not change.reason:
                assert done[where] == change.action.value
            elif where in done:
                assert done[where] in ("skipped", "failed")
        after = await ship.preview(objects(), existing_resource_policy=policy)
        assert not [each for each in after if each.action is Action.CREATED]


@pytest.mark.asyncio
async def test_preview_tells_what_would_fail() -> None:
    rules = read(
        {
            "r": "version: v1\nresourceModifierRules:\n"
            "- conditions: {groupResource: configmaps}\n"
            "  patches: [{operation: remove, path: /none}]"
        },
        "velero/m",
    )
    async with slipway() as ship:
        changes = await ship.preview(
            [obj("Widget", "w", "app", api="example.com/v1"), obj("ConfigMap", "c", "app")],
            modifiers=rules,
        )
        by_name = {each.place.name: each for each in changes}
        assert by_name["w"].action is Action.FAILED
        assert "the cluster serves no widgets.example.com" in by_name["w"].reason
        assert "error in applying patch" in by_name["c"].reason
        bad = await ship.preview([obj("ConfigMap", "c", "app")], included_namespaces=["a**"])
        assert [(each.place, each.action) for each in bad] == [(Place("", "", ""), Action.FAILED)]
        assert bad[0].reason.startswith("error expanding wildcard patterns in namespace")
        assert set(ship.requests) == {"GET"}
