"""The options of `kedge backup create`, as the Backup that they make."""

import json

import pytest

from tests.unit.cli.conftest import Run


def test_without_options_everything_is_saved(kedge: Run) -> None:
    result = kedge("backup", "create", "a", "-o", "json", KUBECONFIG="/nonexistent")
    assert json.loads(result.stdout) == {
        "apiVersion": "velero.io/v1",
        "kind": "Backup",
        "metadata": {"name": "a", "namespace": "velero"},
        "spec": {"includedNamespaces": ["*"]},
    }


def test_what_is_said_is_in_it(kedge: Run) -> None:
    result = kedge(
        "create", "backup", "a", "-o", "json", "--ttl=24h", "--include-namespaces=x",
        "--labels=l=1", "--annotations=n=2", "--snapshot-volumes=false",
        "--ordered-resources=pods=x/a,x/b;pvcs=x/c",
    )  # fmt: skip
    made = json.loads(result.stdout)
    assert made["metadata"] == {
        "name": "a",
        "namespace": "velero",
        "labels": {"l": "1"},
        "annotations": {"n": "2"},
    }
    assert made["spec"] == {
        "includedNamespaces": ["x"],
        "snapshotVolumes": False,
        "ttl": "24h0m0s",
        "orderedResources": {"pods": "x/a,x/b", "pvcs": "x/c"},
    }


MIXED = (
    "include-resources, exclude-resources and include-cluster-resources are old filter "
    "parameters.\ninclude-cluster-scoped-resources, exclude-cluster-scoped-resources, "
    "include-namespace-scoped-resources and exclude-namespace-scoped-resources are new filter "
    "parameters.\nThey cannot be used together"
)


@pytest.mark.parametrize(
    ("args", "line"),
    [
        ((), "a backup name is required, unless you are creating based on a schedule"),
        (("--from-schedule", ""), "flag must have a non-empty value: --from-schedule"),
        (("--from-schedule", "  "), "flag must have a non-empty value: --from-schedule"),
        (
            ("a", "-l", "a=b", "--or-selector", "c=d"),
            "either a 'selector' or an 'or-selector' can be specified, but not both",
        ),
        (("a", "--include-resources=x", "--include-cluster-scoped-resources=y"), MIXED),
    ],
)
def test_what_is_missing_or_does_not_go_together_is_wrong_usage(
    kedge: Run, args: tuple[str, ...], line: str
) -> None:
    result = kedge("backup", "create", *args)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"An error occurred: {line}\n"
