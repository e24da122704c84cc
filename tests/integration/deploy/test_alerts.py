"""The real promtool takes the alert rules, and they fire when they should and only then."""

import json
from pathlib import Path
from typing import Any

import yaml

from tests.integration.deploy.alert_cases import CASES, Case
from tests.integration.deploy.programs import run

DEPLOY = Path(__file__).parents[3] / "deploy"
RULES = DEPLOY / "alerts" / "kedge.rules.yaml"
DASHBOARD = DEPLOY / "dashboards" / "kedge.json"


def rules() -> dict[str, dict[str, Any]]:
    """Give all alerts by their names."""
    groups = yaml.safe_load(RULES.read_text("utf-8"))["groups"]
    return {rule["alert"]: rule for group in groups for rule in group["rules"]}


def written(case: Case, rule: dict[str, Any]) -> dict[str, Any]:
    """Write a case as promtool has it."""
    fired = {
        "exp_labels": {**case.labels, **rule["labels"]},
        "exp_annotations": {**rule["annotations"], "description": case.says},
    }
    return {
        "name": f"{case.alert} at {case.minute}m",
        "interval": "1m",
        "input_series": [
            {"series": series, "values": values} for series, values in case.series.items()
        ],
        "alert_rule_test": [
            {
                "alertname": case.alert,
                "eval_time": f"{case.minute}m",
                "exp_alerts": [fired] if case.says else [],
            }
        ],
    }


def test_promtool_can_read_them(promtool: Path, tmp_path: Path) -> None:
    done = run(promtool, "check", "rules", "--lint=all", "--lint-fatal", str(RULES), home=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"SUCCESS: {len(rules())} rules found" in done.stdout


def test_each_one_fires_and_is_silent(promtool: Path, tmp_path: Path) -> None:
    # Each alone: promtool works out all rules of a file at each minute of each case.
    tests = []
    for name, rule in rules().items():
        alone, test = tmp_path / f"{name}.rules.yaml", tmp_path / f"{name}.yaml"
        alone.write_text(yaml.safe_dump({"groups": [{"name": name, "rules": [rule]}]}), "utf-8")
        wanted = {
            "rule_files": [str(alone)],
            "evaluation_interval": "1m",
            "tests": [written(case, rule) for case in CASES if case.alert == name],
        }
        test.write_text(yaml.safe_dump(wanted), "utf-8")
        tests.append(str(test))
    done = run(promtool, "test", "rules", *tests, home=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_promtool_can_read_the_queries_of_the_dashboard(promtool: Path, tmp_path: Path) -> None:
    queries = [
        target["expr"].replace("$job", ".*").replace("$namespace", ".*")
        for panel in json.loads(DASHBOARD.read_text("utf-8"))["panels"]
        for target in panel.get("targets", ())
    ]
    made = [{"record": f"q:{number}", "expr": query} for number, query in enumerate(queries)]
    file = tmp_path / "queries.yaml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "all", "rules": made}]}), "utf-8")
    done = run(promtool, "check", "rules", str(file), home=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_alert_is_left_out() -> None:
    fires = {case.alert for case in CASES if case.says}
    silent = {case.alert for case in CASES if not case.says}
    assert fires == silent == rules().keys()
