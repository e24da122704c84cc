"""Alerts and dashboard ask for numbers that the code tells, and say where to read on."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[3]
DEPLOY = ROOT / "deploy"
PAGE = "docs/howto/alerts.md"
TARGET = {"job", "instance", "namespace"}
"""Labels that a scraper adds."""
ROW = re.compile(r"^\| `(\w+)` \| (\w+) \| ([^|]*)\|", re.MULTILINE)
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
MATCHERS = re.compile(r"(\w*)\s*\{([^}]*)\}")
LISTED = re.compile(r"\b(?:by|on|without|ignoring|group_left)\s*\(([^)]*)\)")
WORD = re.compile(r"(?<![\w$.])([a-zA-Z_:][\w:]*)(?!\s*\()\b(?!\s*\()")
KEYWORDS = {"and", "or", "unless", "by", "on", "offset", "bool", "h", "m", "d"}
SUFFIX = re.compile(r"_(?:bucket|sum|count)$")


def told() -> dict[str, set[str]]:
    """Give the labels of each name that can be queried; another test holds the page to the code."""
    found = {}
    for name, type_, labels in ROW.findall((ROOT / "docs/reference/metrics.md").read_text("utf-8")):
        known = {label.strip() for label in labels.split(",") if label.strip()}
        for suffix in ("_bucket", "_sum", "_count") if type_ == "histogram" else ("",):
            found[name + suffix] = known | ({"le"} if suffix == "_bucket" else set())
    return found


def asked(query: str) -> tuple[set[str], set[str]]:
    """Give the names of numbers, and the labels, that a query asks for."""
    plain = STRING.sub('""', query)
    labels = {
        word
        for text in [*(match[1] for match in MATCHERS.findall(plain)), *LISTED.findall(plain)]
        for word in re.findall(r"[a-z_]\w*", text)
    }
    rest = re.sub(r"\[[^\]]*\]|\boffset \w+", "", LISTED.sub("", MATCHERS.sub(r"\1", plain)))
    names = {word for word in WORD.findall(rest) if word not in KEYWORDS}
    return names, labels


def problems(query: str) -> list[str]:
    """List what a query asks for and nobody tells."""
    known = told()
    names, labels = asked(query)
    wrong = [f"no metric {name}" for name in sorted(names - known.keys())]
    allowed = TARGET.union(*(known.get(name, set()) for name in names))
    return wrong + [f"no label {label}" for label in sorted(labels - allowed)]


def alerts() -> list[dict[str, Any]]:
    """Give all alerts."""
    text = (DEPLOY / "alerts" / "kedge.rules.yaml").read_text("utf-8")
    return [rule for group in yaml.safe_load(text)["groups"] for rule in group["rules"]]


def dashboard() -> dict[str, Any]:
    """Give the dashboard."""
    found: dict[str, Any] = json.loads((DEPLOY / "dashboards" / "kedge.json").read_text("utf-8"))
    return found


def queries() -> Iterator[str]:
    """Give all queries of the dashboard."""
    for panel in dashboard()["panels"]:
        yield from (target["expr"] for target in panel.get("targets", ()))
    for variable in dashboard()["templating"]["list"]:
        if variable["type"] == "query":
            yield re.sub(r"label_values\((.*), \w+\)$", r"\1", variable["definition"])


@pytest.mark.parametrize("alert", alerts(), ids=lambda alert: str(alert["alert"]))
def test_an_alert_asks_for_what_there_is_and_says_what_to_do(alert: dict[str, Any]) -> None:
    assert problems(alert["expr"]) == []
    assert alert["labels"]["severity"] in {"critical", "warning"}
    notes = alert["annotations"]
    assert notes.keys() == {"summary", "description", "runbook_url"}
    assert notes["summary"].endswith(".")
    assert notes["description"].endswith(".")
    url, _, anchor = notes["runbook_url"].partition("#")
    assert url.endswith(f"/blob/main/{PAGE}")
    assert anchor == alert["alert"].lower()


def test_the_page_has_each_alert_and_no_other() -> None:
    page = (ROOT / PAGE).read_text("utf-8")
    found = re.findall(r"^### (Kedge\w+)$", page, re.MULTILINE)
    assert sorted(found) == sorted(alert["alert"] for alert in alerts())
    for alert in alerts():
        _, _, rest = page.partition(f"### {alert['alert']}\n")
        assert rest.strip().startswith(f"*{alert['labels']['severity']}*")


def test_the_dashboard_asks_for_what_there_is() -> None:
    found = list(queries())
    assert len(found) > 20
    assert {query: wrong for query in found if (wrong := problems(query))} == {}


def test_panels_of_the_dashboard_have_places_of_their_own() -> None:
    places = [
        (x, y)
        for panel in dashboard()["panels"]
        for x in range(panel["gridPos"]["x"], panel["gridPos"]["x"] + panel["gridPos"]["w"])
        for y in range(panel["gridPos"]["y"], panel["gridPos"]["y"] + panel["gridPos"]["h"])
    ]
    assert len(places) == len(set(places))
    assert max(x for x, _ in places) < 24
    assert len({panel["id"] for panel in dashboard()["panels"]}) == len(dashboard()["panels"])


class TestTheDetectors:
    """They would find what nobody tells."""

    def test_a_metric(self) -> None:
        assert problems("sum(rate(velero_nothing_total[5m])) > 1") == [
            "no metric velero_nothing_total"
        ]

    def test_a_label(self) -> None:
        query = 'sum by (colour) (workqueue_depth{nose="big"}) and on (job) up'
        assert problems(query) == ["no metric up", "no label colour", "no label nose"]

    def test_a_histogram_is_asked_for_by_its_parts(self) -> None:
        assert problems("velero_backup_duration_seconds") == [
            "no metric velero_backup_duration_seconds"
        ]
        assert problems("sum by (le) (velero_backup_duration_seconds_bucket)") == []
