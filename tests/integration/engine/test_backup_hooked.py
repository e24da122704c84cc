"""Hooks around the saving of pods."""

import pytest

from kedge.kube.kind import Object
from tests.integration.engine.backing import CLAIM, CLAIMS, PODS, Harbour, harbour, pod

PRE = "pre.hook.backup.velero.io/command"
POST = "post.hook.backup.velero.io/command"


async def pods(port: Harbour, **annotations: Object) -> None:
    await port.namespace("app")
    for name, notes in annotations.items():
        await port.make(PODS, name, "app", spec=pod(), annotations=notes)


@pytest.mark.asyncio
async def test_hooks_run_before_and_after_each_pod() -> None:
    async with harbour() as port:
        await pods(port, a={PRE: "freeze", POST: "thaw"}, b={POST: "thaw"}, c={})
        made = await port.back_up()
        assert port.kube.ran == ["app/a: freeze", "app/a: thaw", "app/b: thaw"]
        assert (made.outcome.hooks_attempted, made.outcome.hooks_failed) == (3, 0)
        assert {"pods/app/a", "pods/app/b", "pods/app/c"} <= set(made.items)


@pytest.mark.asyncio
async def test_no_hooks_run_where_none_may_whoever_names_them() -> None:
    group = {"name": "g", "pre": [{"exec": {"command": ["freeze"]}}]}
    async with harbour() as port:
        await pods(port, a={PRE: "freeze", POST: "thaw"}, b={})
        made = await port.back_up(runs_hooks=False, hooks={"resources": [group]})
        assert port.kube.ran == []
        assert (made.outcome.hooks_attempted, made.journal.errors) == (0, 0)
        assert {"pods/app/a", "pods/app/b"} <= set(made.items)


@pytest.mark.asyncio
async def test_a_pod_whose_hook_fails_is_not_saved_and_what_it_needs_is() -> None:
    async with harbour() as port:
        await port.namespace("app")
        await port.make(CLAIMS, "data", "app", spec=CLAIM)
        await port.make(PODS, "a", "app", spec=pod("data"), annotations={PRE: "bad", POST: "thaw"})
        await port.make(PODS, "b", "app", spec=pod(), annotations={POST: "bad"})
        port.kube.code = 2
        made = await port.back_up(snapshotVolumes=False)
        assert port.kube.ran == ["app/a: bad", "app/b: bad"]
        assert {name for name in made.items if "/app/" in name} == {
            "pods/app/b",
            "persistentvolumeclaims/app/data",
        }
        assert "v1/Pod" in made.outcome.resource_list
        assert made.outcome.resource_list["v1/Pod"] == ["app/b"]
        assert (made.outcome.hooks_attempted, made.outcome.hooks_failed) == (2, 2)
        assert made.journal.errors == 3
        assert "so it is not in the backup" in made.errors


@pytest.mark.asyncio
async def test_a_hook_that_may_fail_keeps_nothing_back() -> None:
    async with harbour() as port:
        await pods(port, a={PRE: "bad", "pre.hook.backup.velero.io/on-error": "Continue"})
        port.kube.code = 2
        made = await port.back_up()
        assert "pods/app/a" in made.items
        assert made.journal.errors == 1


@pytest.mark.asyncio
async def test_ordered_pods_are_one_block() -> None:
    async with harbour() as port:
        await pods(port, a={}, b={}, c={})
        hook = [{"exec": {"command": ["x"]}}]
        made = await port.back_up(
            hooks={"resources": [{"name": "h", "pre": hook, "post": hook}]},
            orderedResources={"pods": "app/c,app/b"},
        )
        assert port.kube.ran == [f"app/{name}: x" for name in "cbcbaa"]
        saved = [name for name in made.items if name.startswith("pods/")]
        assert saved == ["pods/app/c", "pods/app/b", "pods/app/a"]


@pytest.mark.asyncio
async def test_pods_that_are_left_out_run_no_hooks() -> None:
    async with harbour() as port:
        await port.namespace("app")
        out = {"velero.io/exclude-from-backup": "true"}
        await port.make(PODS, "a", "app", spec=pod(), annotations={PRE: "x"}, labels=out)
        await port.back_up()
        await port.back_up(excludedNamespaces=["app"])
        await port.back_up(excludedResources=["pods"])
        assert port.kube.ran == []
