"""The options of `kedge restore create`, as the Restore that they make."""

import json
from typing import Any

import pytest

from tests.unit.cli.conftest import Run

CREATE = ("restore", "create", "r", "--from-backup", "b", "-o", "json")


def made(kedge: Run, *args: str) -> dict[str, Any]:
    result = kedge(*CREATE, *args)
    assert result.stderr == ""
    return dict(json.loads(result.stdout))


def test_without_options_everything_comes_back(kedge: Run) -> None:
    assert made(kedge) == {
        "apiVersion": "velero.io/v1",
        "kind": "Restore",
        "metadata": {"name": "r", "namespace": "velero"},
        "spec": {"backupName": "b", "includedNamespaces": ["*"]},
    }


def test_each_option_has_its_field(kedge: Run) -> None:
    restore = made(
        kedge,
        "--include-namespaces=a,b*",
        "--exclude-namespaces=c",
        "--namespace-mappings=a:x,b:y",
        "--namespace-mappings=c:z",
        "--labels=l=1",
        "--annotations=n=2",
        "--include-resources=pods",
        "--exclude-resources=nodes",
        "--existing-resource-policy=update",
        "--status-include-resources=jobs.batch",
        "--status-exclude-resources=pods",
        "--selector=app in (x,y)",
        "--item-operation-timeout=1h",
        "--restore-volumes=false",
        "--preserve-nodeports",
        "--include-cluster-resources=true",
        "--resource-modifier-configmap=rules",
        "--write-sparse-files",
        "--parallel-files-download=3",
    )
    assert restore["metadata"]["labels"] == {"l": "1"}
    assert restore["metadata"]["annotations"] == {"n": "2"}
    expression = {"key": "app", "operator": "In", "values": ["x", "y"]}
    assert restore["spec"] == {
        "backupName": "b",
        "includedNamespaces": ["a", "b*"],
        "excludedNamespaces": ["c"],
        "includedResources": ["pods"],
        "excludedResources": ["nodes"],
        "namespaceMapping": {"a": "x", "b": "y", "c": "z"},
        "labelSelector": {"matchExpressions": [expression]},
        "restorePVs": False,
        "restoreStatus": {"includedResources": ["jobs.batch"], "excludedResources": ["pods"]},
        "preserveNodePorts": True,
        "includeClusterResources": True,
        "existingResourcePolicy": "update",
        "itemOperationTimeout": "1h0m0s",
        "resourceModifier": {"kind": "configmap", "name": "rules"},
        "uploaderConfig": {"writeSparseFiles": True, "parallelFilesDownload": 3},
    }


def test_a_list_to_include_that_is_empty_is_not_everything(kedge: Run) -> None:
    spec = made(kedge, "--include-namespaces", "", "--include-resources=")["spec"]
    assert spec == {"backupName": "b", "includedNamespaces": [""], "includedResources": [""]}


def test_one_of_several_selectors(kedge: Run) -> None:
    spec = made(kedge, "--or-selector=a=b or c=d")["spec"]
    assert spec["orLabelSelectors"] == [{"matchLabels": {"a": "b"}}, {"matchLabels": {"c": "d"}}]


def test_the_status_that_stays_away_means_nothing_alone(kedge: Run) -> None:
    assert "restoreStatus" not in made(kedge, "--status-exclude-resources=pods")["spec"]


def test_without_a_name_it_is_called_after_its_source_and_the_time(kedge: Run) -> None:
    args = ("restore", "create", "-o", "json")
    one = json.loads(kedge(*args, "--from-backup", "b", TZ="UTC").stdout)
    assert one["metadata"]["name"].startswith("b-202603")
    assert len(one["metadata"]["name"]) == len("b-") + 14
    other = json.loads(kedge(*args, "--from-schedule", "s").stdout)
    assert other["metadata"]["name"].startswith("s-202603")
    assert other["spec"] == {"scheduleName": "s", "includedNamespaces": ["*"]}


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (
            (),
            "either a backup or schedule must be specified, but not both; use --from-backup or"
            " --from-schedule",
        ),
        (
            ("--from-backup=b", "--from-schedule=s"),
            "either a backup or schedule must be specified, but not both; use --from-backup or"
            " --from-schedule",
        ),
        (
            ("--from-backup=b", "--existing-resource-policy=replace"),
            "existing-resource-policy has invalid value, it accepts only none, update as value",
        ),
        (
            ("--from-backup=b", "--parallel-files-download=-1"),
            "parallel-files-download cannot be negative",
        ),
        (
            ("--from-backup=b", "-l", "a=b", "--or-selector", "c=d"),
            "either a 'selector' or an 'or-selector' can be specified, but not both",
        ),
        (
            ("--from-backup=b", "--include-namespaces=*,a"),
            "includes list must either contain '*' only, or a non-empty list of items",
        ),
        (
            ("--from-backup=b", "--include-namespaces=a", "--exclude-namespaces=a,*"),
            "[excludes list cannot contain an item in the includes list: a, "
            "excludes list cannot contain '*']",
        ),
        (("--from-backup=b", "--preview", "-w"), "--preview and --wait can not be used together"),
        (
            ("--from-backup=b", "--preview", "-o", "name"),
            "a preview has no names to print; use -o table, json or yaml",
        ),
    ],
)
def test_what_does_not_go_together_is_wrong_usage(
    kedge: Run, args: tuple[str, ...], line: str
) -> None:
    result = kedge("restore", "create", "r", *args)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"An error occurred: {line}\n"


@pytest.mark.parametrize("text", ["a", "a:", ":b", "a:b:c", "a:b,c"])
def test_a_mapping_has_two_sides(kedge: Run, text: str) -> None:
    result = kedge(*CREATE, "--namespace-mappings", text)
    assert result.exit_code == 2
    assert "is not source:target; write it as a:x,b:y" in result.stderr


def test_one_namespace_does_not_go_to_two(kedge: Run) -> None:
    result = kedge(*CREATE, "--namespace-mappings=a:x,b:y", "--namespace-mappings=a:z")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "'a' is to become both 'x' and 'z'; write one of them" in result.stderr
    assert kedge(*CREATE, "--namespace-mappings=a:x,a:x").exit_code == 0


def test_what_is_printed_by_o_name_can_be_handed_on(kedge: Run) -> None:
    result = kedge("restore", "create", "--from-backup", "backup.velero.io/b", "-o", "json", "r")
    assert json.loads(result.stdout)["spec"]["backupName"] == "b"
