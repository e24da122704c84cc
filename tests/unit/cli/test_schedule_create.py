import json
from typing import Any

import pytest
import yaml

from tests.unit.cli.conftest import Run

BASE = ("schedule", "create", "a", "--schedule", "0 8 * * 1-5")


def made(kedge: Run, *args: str) -> dict[str, Any]:
    result = kedge(*BASE, *args, "-o", "json")
    assert (result.exit_code, result.stderr) == (0, "")
    document: dict[str, Any] = json.loads(result.stdout)
    return document


def test_without_options_it_saves_all_namespaces(kedge: Run) -> None:
    assert made(kedge) == {
        "apiVersion": "velero.io/v1",
        "kind": "Schedule",
        "metadata": {"name": "a", "namespace": "velero"},
        "spec": {
            "schedule": "0 8 * * 1-5",
            "template": {"includedNamespaces": ["*"]},
            "useOwnerReferencesInBackup": False,
        },
    }


@pytest.mark.parametrize(
    ("flags", "field", "value"),
    [
        (["--ttl=2160h"], "ttl", "2160h0m0s"),
        (["--include-namespaces=a,b"], "includedNamespaces", ["a", "b"]),
        (["--exclude-namespaces", "kube-*"], "excludedNamespaces", ["kube-*"]),
        (["--include-resources=pods,pv"], "includedResources", ["pods", "pv"]),
        (["--exclude-resources=pods"], "excludedResources", ["pods"]),
        (["--include-cluster-resources"], "includeClusterResources", True),
        (["--include-cluster-resources=false"], "includeClusterResources", False),
        (["--include-cluster-scoped-resources=x"], "includedClusterScopedResources", ["x"]),
        (["--exclude-cluster-scoped-resources=x"], "excludedClusterScopedResources", ["x"]),
        (["--include-namespace-scoped-resources=x"], "includedNamespaceScopedResources", ["x"]),
        (["--exclude-namespace-scoped-resources=x"], "excludedNamespaceScopedResources", ["x"]),
        (["--include-namespaces="], "includedNamespaces", [""]),
        (["--include-resources= ,"], "includedResources", [""]),
        (["--include-cluster-scoped-resources="], "includedClusterScopedResources", [""]),
        (["--include-namespace-scoped-resources="], "includedNamespaceScopedResources", [""]),
        (["-l", "a=b"], "labelSelector", {"matchLabels": {"a": "b"}}),
        (["--selector=a=b"], "labelSelector", {"matchLabels": {"a": "b"}}),
        (
            ["--or-selector", "a=b or c=d"],
            "orLabelSelectors",
            [{"matchLabels": {"a": "b"}}, {"matchLabels": {"c": "d"}}],
        ),
        (["--storage-location=s3"], "storageLocation", "s3"),
        (["--volume-snapshot-locations=a,b"], "volumeSnapshotLocations", ["a", "b"]),
        (["--snapshot-volumes"], "snapshotVolumes", True),
        (["--snapshot-volumes=false"], "snapshotVolumes", False),
        (["--snapshot-move-data"], "snapshotMoveData", True),
        (["--data-mover=velero"], "datamover", "velero"),
        (["--default-volumes-to-fs-backup"], "defaultVolumesToFsBackup", True),
        (
            ["--ordered-resources", "pods=ns1/a,ns1/b; pvcs = ns2/c"],
            "orderedResources",
            {"pods": "ns1/a,ns1/b", "pvcs": "ns2/c"},
        ),
        (["--csi-snapshot-timeout=10m"], "csiSnapshotTimeout", "10m0s"),
        (["--item-operation-timeout=4h"], "itemOperationTimeout", "4h0m0s"),
        (
            ["--resource-policies-configmap=rules"],
            "resourcePolicy",
            {"kind": "configmap", "name": "rules"},
        ),
        (["--parallel-files-upload=3"], "uploaderConfig", {"parallelFilesUpload": 3}),
    ],
    ids=lambda value: value[0] if isinstance(value, list) and str(value[0])[:1] == "-" else "",
)
def test_every_filter_reaches_its_field(
    kedge: Run, flags: list[str], field: str, value: object
) -> None:
    template = made(kedge, *flags)["spec"]["template"]
    assert template == {"includedNamespaces": ["*"], field: value}


@pytest.mark.parametrize(
    ("flags", "spec"),
    [
        (["--paused"], {"paused": True}),
        (["--paused=false"], {}),
        (["--skip-immediately"], {"skipImmediately": True}),
        (["--skip-immediately=true"], {"skipImmediately": True}),
        (["--skip-immediately=false"], {"skipImmediately": False}),
        (["--skip-immediately="], {}),
        (["--use-owner-references-in-backup"], {"useOwnerReferencesInBackup": True}),
    ],
)
def test_what_belongs_to_the_schedule_is_in_its_spec(
    kedge: Run, flags: list[str], spec: dict[str, Any]
) -> None:
    found = made(kedge, *flags)["spec"]
    usual = {"schedule": "0 8 * * 1-5", "useOwnerReferencesInBackup": False}
    found.pop("template")
    assert found == usual | spec


def test_labels_and_annotations_are_those_of_the_schedule(kedge: Run) -> None:
    meta = made(kedge, "--labels", "a=b,c=d", "--annotations", "kedge.dev/dst=once")["metadata"]
    assert (meta["labels"], meta["annotations"]) == (
        {"a": "b", "c": "d"},
        {"kedge.dev/dst": "once"},
    )


def test_yaml_table_and_name_are_printed_without_a_cluster(kedge: Run) -> None:
    nothing = {"KUBECONFIG": "/nowhere"}
    document = yaml.safe_load(kedge(*BASE, "-o", "yaml", **nothing).stdout)
    assert document == made(kedge)
    assert kedge(*BASE, "-o", "name", **nothing).stdout == "schedule.velero.io/a\n"
    table = kedge(*BASE, "-o", "table", **nothing).stdout.splitlines()
    assert table[0].split()[:4] == ["NAME", "STATUS", "CREATED", "SCHEDULE"]
    assert table[1].split()[:3] == ["a", "New", "<unknown>"]


@pytest.mark.parametrize(
    ("args", "code", "lines"),
    [
        (["a"], 2, ["--schedule is required"]),
        (["a", "--schedule="], 2, ["--schedule is required"]),
        (
            ["a", "--schedule= "],
            1,
            ["Schedule must be a non-empty valid Cron expression"],
        ),
        (
            ["a", "--schedule=61 8 * * 7"],
            1,
            [
                "invalid schedule: minute '61': 61 is outside 0-59",
                "invalid schedule: day of week '7': 7 is outside 0-6; Sunday is 0",
            ],
        ),
        (
            ["a", "--schedule=0 0 30 2 *"],
            1,
            ["invalid schedule: day of month '30': no such day in these months: it never runs"],
        ),
        (
            ["a", "--schedule=@daily", "--annotations=kedge.dev/jitter=often"],
            1,
            [
                'annotation kedge.dev/jitter: "often" is not a duration; '
                "write it as 30s, 15m or 1h30m"
            ],
        ),
        (
            ["a", "--schedule=@daily", "-l", "a=b", "--or-selector", "c=d"],
            2,
            ["either a 'selector' or an 'or-selector' can be specified, but not both"],
        ),
        (
            ["a", "--schedule=@daily", "--include-namespaces=*,a"],
            2,
            ["includes list must either contain '*' only, or a non-empty list of items"],
        ),
        (
            ["a", "--schedule=@daily", "--include-namespaces=a", "--exclude-namespaces=a"],
            2,
            ["excludes list cannot contain an item in the includes list: a"],
        ),
        (
            ["a", "--schedule=@daily", "--exclude-namespaces=*"],
            2,
            ["excludes list cannot contain '*'"],
        ),
    ],
)
def test_what_could_never_work_is_refused_in_words(
    kedge: Run, args: list[str], code: int, lines: list[str]
) -> None:
    result = kedge("schedule", "create", *args, "-o", "yaml")
    assert (result.exit_code, result.stdout) == (code, "")
    assert result.stderr.splitlines() == [f"An error occurred: {line}" for line in lines]


@pytest.mark.parametrize("old", ["--include-resources=a", "--exclude-resources=a",
                                 "--include-cluster-resources=false"])  # fmt: skip
@pytest.mark.parametrize("new", ["--include-cluster-scoped-resources=b",
                                 "--exclude-cluster-scoped-resources=b",
                                 "--include-namespace-scoped-resources=b",
                                 "--exclude-namespace-scoped-resources=b"])  # fmt: skip
def test_old_and_new_filters_do_not_go_together(kedge: Run, old: str, new: str) -> None:
    result = kedge(*BASE, old, new, "-o", "yaml")
    assert result.exit_code == 2
    first, _, last = result.stderr.splitlines()
    assert first.startswith("An error occurred: include-resources, exclude-resources and")
    assert last == "They cannot be used together"


@pytest.mark.parametrize(
    ("flag", "word"),
    [
        ("--ttl=30d", "720h"),
        ("--include-cluster-resources=maybe", "neither true nor false"),
        ("--ordered-resources=pods", "invalid OrderedResources 'pods'"),
        ("--ordered-resources=a=b=c", "invalid OrderedResources 'a=b=c'"),
        ("--labels=a", "key=value"),
        ("--or-selector=a=b or c in", "not a label selector"),
        ("--parallel-files-upload=-1", "-1"),
        ("--output=xml", "'name'"),
    ],
)
def test_a_value_that_can_not_be_read_is_wrong_usage(kedge: Run, flag: str, word: str) -> None:
    result = kedge(*BASE, flag)
    assert result.exit_code == 2
    assert word in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("args", [["schedule", "create"], ["create", "schedule", "a", "b"]])
def test_exactly_one_name_is_taken(kedge: Run, args: list[str]) -> None:
    assert kedge(*args, "--schedule=@daily").exit_code == 2


def test_an_option_of_ours_that_is_misspelt_is_pointed_out(kedge: Run) -> None:
    result = kedge(*BASE, "--annotations=kedge.dev/jiter=5m", "-o", "name")
    assert result.exit_code == 0
    assert "did you mean kedge.dev/jitter?" in result.stderr
