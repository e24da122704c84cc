"""The administrator's policy: what is enforced, and what can not be read lets nothing through."""

from datetime import timedelta
from typing import Any

import pytest

from kedge.aio.clock import SystemClock
from kedge.kube.errors import NotFound
from kedge.selfservice.policies import Policies
from kedge.selfservice.policy import NOTHING, policy_of_application, policy_of_config
from kedge.testing import FakeClock


def config(version: str = "1", **data: str) -> dict[str, Any]:
    meta = {"name": "kedge-nonadmin-policy", "uid": "u", "resourceVersion": version}
    return {"metadata": meta, "data": data}


@pytest.mark.parametrize("nothing", [None, {}, {"data": None}, {"data": {}}])
def test_without_a_policy_nothing_is_enforced(nothing: Any) -> None:
    assert policy_of_config(nothing) == NOTHING


def test_all_that_can_be_said() -> None:
    policy = policy_of_config(
        config(
            enforceBackupSpec="snapshotVolumes: false\nttl: 36h\nexcludedResources: [secrets]\n",
            enforceRestoreSpec="restorePVs: false",
            enforceBSLSpec="provider: aws\nobjectStorage: {bucket: ours}",
            requireApprovalForBSL="true",
            garbageCollectionPeriod="12h",
            backupSyncPeriod="5m",
            allowedResourcePolicies="[skip-caches]",
            allowedResourceModifiers="- fewer-replicas",
            allowHooks="false",
        )
    )
    assert policy.problems == ()
    assert policy.backup == {
        "snapshotVolumes": False,
        "ttl": "36h",
        "excludedResources": ["secrets"],
    }
    assert policy.restore == {"restorePVs": False}
    assert policy.location == {"provider": "aws", "objectStorage": {"bucket": "ours"}}
    assert policy.require_approval
    assert policy.gc_period == timedelta(hours=12)
    assert policy.sync_period == timedelta(minutes=5)
    assert policy.resource_policies == {"skip-caches"}
    assert policy.resource_modifiers == {"fewer-replicas"}
    assert not policy.allow_hooks


def test_what_is_zero_to_go_is_not_enforced() -> None:
    text = 'ttl: 0s\ndatamover: ""\nhooks: {}\nsnapshotVolumes: null\nmetadata: {labels: null}'
    assert policy_of_config(config(enforceBackupSpec=text)).backup == {}
    assert policy_of_config(config(enforceBackupSpec="")).backup == {}
    kept = policy_of_config(config(enforceBackupSpec="excludedResources: []")).backup
    assert kept == {"excludedResources": []}


def test_a_period_of_zero_is_never() -> None:
    policy = policy_of_config(config(garbageCollectionPeriod="0", backupSyncPeriod="0s"))
    assert (policy.gc_period, policy.sync_period, policy.problems) == (None, None, ())


@pytest.mark.parametrize(
    ("key", "text", "why"),
    [
        ("enforceBackupSpec", "a: [", "not YAML"),
        ("enforceBackupSpec", "- ttl", "map of fields"),
        ("enforceBackupSpec", "tll: 3h", "tll is no field"),
        ("enforceBackupSpec", "storageLocation: x", "non-enforceable"),
        ("enforceBackupSpec", "volumeSnapshotLocations: [x]", "non-enforceable"),
        ("enforceBackupSpec", "includedNamespaces: [x]", "non-enforceable"),
        ("enforceBackupSpec", "excludedNamespaces: [x]", "non-enforceable"),
        ("enforceBackupSpec", "includeClusterResources: true", "non-enforceable"),
        ("enforceBackupSpec", "includedClusterScopedResources: [x]", "non-enforceable"),
        ("enforceRestoreSpec", "scheduleName: x", "non-enforceable"),
        ("enforceRestoreSpec", "namespaceMapping: {a: b}", "non-enforceable"),
        ("enforceRestoreSpec", "includedNamespaces: [x]", "non-enforceable"),
        ("enforceRestoreSpec", "excludedNamespaces: [x]", "non-enforceable"),
        ("requireApprovalForBSL", "maybe", "neither true nor false"),
        ("garbageCollectionPeriod", "often", "not a duration"),
        ("garbageCollectionPeriod", "-1h", "negative"),
        ("garbageCollectionPeriod", "[1h]", "['1h'] is not a duration"),
        ("backupSyncPeriod", "{}", "{} is not a duration"),
        ("backupSyncPeriod", "false", "False is not a duration"),
        ("garbageCollectionPeriod", "1m", "must be longer than backupSyncPeriod"),
        ("allowedResourcePolicies", "skip", "list of names"),
        ("allowHooks", "1", "neither true nor false"),
        ("enforceBackupSpecs", "", "not known"),
        ("enforceBackupSpec", "!!python/object/apply:os.system [x]", "not YAML"),
        ("enforceBackupSpec", "ttl: forever", "ttl 'forever' is not a duration"),
        ("enforceBackupSpec", "ttl: 36", "got `int` - at `$.ttl`"),
        ("enforceBackupSpec", "ttl: [36h]", "got `array` - at `$.ttl`"),
        ("enforceBSLSpec", "backupSyncPeriod: {a: b}", "at `$.backupSyncPeriod`"),
        ("enforceBackupSpec", "snapshotVolumes: 'false'", "at `$.snapshotVolumes`"),
        ("enforceBackupSpec", "excludedResources: secrets", "at `$.excludedResources`"),
        ("enforceRestoreSpec", "itemOperationTimeout: 1d", "'1d' is not a duration"),
        (
            "enforceBackupSpec",
            "hooks: {resources: [{name: h, pre: [{exec: {command: [x], timeout: 9999999h}}]}]}",
            "hooks.resources[0].pre[0].exec.timeout is invalid",
        ),
        ("enforceBSLSpec", "objectStorage: ours", "at `$.objectStorage`"),
    ],
)
def test_what_can_not_be_read_is_a_problem(key: str, text: str, why: str) -> None:
    [problem] = policy_of_config(config(**{key: text})).problems
    assert why in problem
    assert key in problem


@pytest.mark.parametrize("key", ["enforceBackupSpec", "enforceRestoreSpec"])
def test_hooks_that_are_enforced_and_may_not_run_are_a_problem(key: str) -> None:
    closed = {"allowHooks": "false"}
    none = policy_of_config({"data": {**closed, key: "hooks: {resources: []}"}})
    assert none.problems == ()
    some = policy_of_config({"data": {**closed, key: "hooks: {resources: [{name: freeze}]}"}})
    assert some.problems == (f"{key} has hooks, which allowHooks: false keeps from running",)


def test_an_entry_that_is_no_text_is_a_problem() -> None:
    # So kubectl keeps a file that is not in UTF-8.
    policy = policy_of_config({"binaryData": {"enforceBackupSpec": "dHRsOiA3Mmgg/w=="}})
    assert policy.problems == (
        "kedge-nonadmin-policy enforceBackupSpec: it is not text; write it in UTF-8",
    )


def test_false_for_cluster_resources_can_be_enforced() -> None:
    policy = policy_of_config(config(enforceBackupSpec="includeClusterResources: false"))
    assert (policy.problems, policy.backup) == ((), {"includeClusterResources": False})


def test_an_application_says_the_same_in_its_own_way() -> None:
    said = {
        "enable": True,
        "enforceBackupSpec": {"snapshotVolumes": False},
        "requireApprovalForBSL": True,
        "garbageCollectionPeriod": "12h",
        "backupSyncPeriod": "5m0s",
    }
    policy = policy_of_application({"spec": {"nonAdmin": said}})
    assert (policy.backup, policy.problems) == ({"snapshotVolumes": False}, ())
    assert policy.require_approval
    wrong = policy_of_application({"spec": {"nonAdmin": {"enforceBackupSpec": {"tll": 1}}}})
    assert "spec.nonAdmin.enforceBackupSpec" in wrong.problems[0]
    assert policy_of_application({}) == NOTHING


class Applications:
    """Stands in for the client: what a list of applications gives."""

    def __init__(self, *found: Any) -> None:
        self.found = list(found)
        self.asked = 0

    async def list(self, kind: Any, selection: Any) -> Any:
        self.asked += 1
        for one in self.found:
            if isinstance(one, Exception):
                raise one
            yield one


APPLICATION = {"spec": {"nonAdmin": {"enforceBackupSpec": {"ttl": "2h"}}}}


def policies(client: Applications, found: Any = None, clock: Any = None) -> Policies:
    return Policies(client, "velero", lambda: found, clock or SystemClock())  # type: ignore[arg-type]


@pytest.mark.asyncio
async def test_the_config_map_goes_before_the_application() -> None:
    client = Applications(APPLICATION)
    policy = await policies(client, config(enforceBackupSpec="ttl: 1h")).current()
    assert (policy.backup, client.asked) == ({"ttl": "1h"}, 0)
    assert (await policies(client).current()).backup == {"ttl": "2h"}


@pytest.mark.asyncio
async def test_the_first_application_that_says_something_counts() -> None:
    client = Applications({"spec": {}}, APPLICATION, {"spec": {"nonAdmin": {"x": 1}}})
    assert (await policies(client).current()).backup == {"ttl": "2h"}


@pytest.mark.asyncio
async def test_a_cluster_without_applications_enforces_nothing() -> None:
    clock, client = FakeClock(), Applications(NotFound("no such kind"))
    some = policies(client, clock=clock)
    assert await some.current() == await some.current() == NOTHING
    assert client.asked == 1
    clock.advance(timedelta(minutes=2))
    client.found = [APPLICATION]
    assert (await some.current()).backup == {"ttl": "2h"}


@pytest.mark.asyncio
async def test_a_change_counts_at_once_for_a_config_map_and_soon_for_an_application() -> None:
    clock, client = FakeClock(), Applications(APPLICATION)
    found: dict[str, Any] = {}
    some = Policies(client, "velero", lambda: found.get("it"), clock)  # type: ignore[arg-type]
    assert (await some.current()).backup == {"ttl": "2h"}
    client.found = []
    clock.advance(timedelta(seconds=6))
    assert (await some.current()).backup == {}
    found["it"] = config("1", enforceBackupSpec="ttl: 1h")
    assert (await some.current()).backup == {"ttl": "1h"}
    found["it"] = config("2", enforceBackupSpec="ttl: 3h")
    assert (await some.current()).backup == {"ttl": "3h"}
