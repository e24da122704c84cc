import json

import pytest

from tests.unit.cli.conftest import Run

CREATE = ("schedule", "create", "a", "--schedule=@daily", "-o", "json")


def namespace_of(kedge: Run, *args: str, **env: str | None) -> str:
    known: dict[str, str | None] = {"KEDGE_NAMESPACE": None, "VELERO_NAMESPACE": None}
    result = kedge(*args, **(known | env))
    assert result.exit_code == 0, result.stderr
    return str(json.loads(result.stdout)["metadata"]["namespace"])


def test_the_namespace_is_that_of_velero_unless_told_otherwise(kedge: Run) -> None:
    assert namespace_of(kedge, *CREATE) == "velero"
    assert namespace_of(kedge, *CREATE, KEDGE_NAMESPACE="", VELERO_NAMESPACE="") == "velero"


def test_the_flag_comes_before_our_variable_and_that_before_veleros(kedge: Run) -> None:
    assert namespace_of(kedge, *CREATE, VELERO_NAMESPACE="theirs") == "theirs"
    both = {"VELERO_NAMESPACE": "theirs", "KEDGE_NAMESPACE": "ours"}
    assert namespace_of(kedge, *CREATE, **both) == "ours"
    assert namespace_of(kedge, *CREATE, "-n", "mine", **both) == "mine"


@pytest.mark.parametrize(
    "args",
    [
        ("-n", "mine", *CREATE),
        ("--namespace=mine", *CREATE),
        ("--colorized", "-n", "mine", *CREATE),
        ("schedule", "-n", "mine", *CREATE[1:]),
        (*CREATE, "-n", "mine"),
        ("-n", "other", *CREATE, "-n", "mine"),
    ],
)
def test_global_flags_may_stand_anywhere_and_the_innermost_counts(
    kedge: Run, args: tuple[str, ...]
) -> None:
    assert namespace_of(kedge, *args) == "mine"


def test_a_command_that_would_not_heed_a_global_flag_refuses_it(kedge: Run) -> None:
    result = kedge("-n", "mine", "cron", "next", "@daily")
    assert result.exit_code == 2
    assert "'cron' takes no --namespace in front of it" in result.stderr


@pytest.mark.parametrize("name", ["", "a/b", "UPPER", "a b", "x" * 64])
def test_what_is_no_namespace_is_wrong_usage(kedge: Run, name: str) -> None:
    result = kedge(*CREATE, "-n", name)
    assert result.exit_code == 2
    assert not result.stdout


def test_no_cluster_at_all_says_where_one_was_looked_for(kedge: Run, tmp_path: object) -> None:
    nothing = {
        "KEDGE_KUBECONFIG": None,
        "KUBECONFIG": f"{tmp_path}/none",
        "KUBERNETES_SERVICE_HOST": None,
    }
    result = kedge("schedule", "get", **nothing)
    assert result.exit_code == 1
    assert result.stderr.startswith("An error occurred: no cluster found")
    assert "--kubeconfig" in result.stderr


def test_the_kubeconfig_may_be_named_by_a_variable_and_the_flag_goes_first(kedge: Run) -> None:
    named = {"KEDGE_KUBECONFIG": "/nowhere/ours"}
    assert "/nowhere/ours" in kedge("schedule", "get", **named).stderr
    flag = ("--kubeconfig", "/nowhere/mine")
    assert "/nowhere/mine" in kedge("schedule", "get", *flag, **named).stderr
