"""What the chart has in common with the code is made from the code, and its values are told of."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from kedge.cli.install.failure import failure
from kedge.cli.install.kinds import OLDEST
from kedge.cli.operator.settings import CONTROLLERS, REPOSITORY, VELERO_ONLY
from kedge.kube.errors import NotFound
from kedge.objects.open import PROVIDERS
from tools.chart import CHART, files, semantic


def values() -> dict[str, Any]:
    """Give the defaults."""
    found: dict[str, Any] = yaml.safe_load((CHART / "values.yaml").read_text("utf-8"))
    return found


def schema() -> dict[str, Any]:
    """Give what values may be."""
    found: dict[str, Any] = json.loads((CHART / "values.schema.json").read_text("utf-8"))
    return found


def paths(values: dict[str, Any], before: str = "") -> Iterator[str]:
    """Name each value as `--set` does."""
    for name, value in values.items():
        if isinstance(value, dict) and value and name not in {"requests", "limits", "labels"}:
            yield from paths(value, f"{before}{name}.")
        else:
            yield before + name


def known(properties: dict[str, Any], before: str = "") -> Iterator[str]:
    """Name each value that the schema lets through."""
    for name, one in properties.items():
        if "properties" in one and name not in {"requests", "limits", "config"}:
            yield from known(one["properties"], f"{before}{name}.")
        else:
            yield before + name


def test_what_is_made_is_as_it_was_made() -> None:
    for path, text in files().items():
        assert (CHART / path).read_text("utf-8") == text, "run .venv/bin/python tools/chart.py"
    there = {str(p.relative_to(CHART)) for p in (CHART / "files").rglob("*") if p.is_file()}
    assert there == files().keys() - {"Chart.yaml"}


def test_the_schema_knows_the_values_and_no_others() -> None:
    assert sorted(paths(values())) == sorted(set(known(schema()["properties"])) - {"global"})


def test_the_page_of_the_chart_tells_of_each_value() -> None:
    page = (CHART / "README.md").read_text("utf-8")
    rows = re.findall(r"^\| `([\w.]+)` \|", page, re.MULTILINE)
    assert sorted(rows) == sorted(paths(values()))


def test_the_oldest_kubernetes_is_the_same_everywhere() -> None:
    oldest = ".".join(map(str, OLDEST))
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text("utf-8"))
    assert chart["kubeVersion"] == f">={oldest}.0-0"
    page = CHART.parents[2] / "docs" / "howto" / "install.md"
    assert f"Kubernetes {oldest} or newer" in page.read_text("utf-8")
    told = failure("CronJob/a", NotFound("the server could not find the requested resource"))
    assert str(told).endswith(f"Kubernetes {oldest} or newer is needed")


def test_names_are_those_of_the_code() -> None:
    properties = schema()["properties"]
    controllers = properties["server"]["properties"]["disableControllers"]["items"]["enum"]
    assert set(controllers) == {*CONTROLLERS, *VELERO_ONLY}
    providers = properties["location"]["properties"]["provider"]["enum"]
    assert set(providers) == {"", *PROVIDERS}
    assert values()["image"]["repository"] == REPOSITORY


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("1.2.3", "1.2.3"),
        ("0.1.0.dev0", "0.1.0-dev0"),
        ("1.2.3rc1", "1.2.3-rc1"),
        ("1.2.3.post1+local.5", "1.2.3-post1+local.5"),
    ],
)
def test_a_version_of_python_is_made_one_of_helm(version: str, expected: str) -> None:
    assert semantic(version) == expected


def test_a_version_that_helm_can_not_have_is_refused() -> None:
    with pytest.raises(ValueError, match=r"'1\.2' has no counterpart"):
        semantic("1.2")
