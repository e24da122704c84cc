import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import Result

from tests.unit.cli.conftest import Run


@pytest.fixture
def preview(kedge: Run, tmp_path: Path) -> Any:
    """Preview a Schedule that is made from parts."""

    def run(*args: str, **parts: Any) -> Result:
        made = {
            "apiVersion": "velero.io/v1",
            "kind": "Schedule",
            "metadata": {"name": "a", "namespace": "velero", **parts.get("metadata", {})},
            "spec": {"schedule": "@daily", "template": {}, **parts.get("spec", {})},
            "status": parts.get("status", {}),
        }
        file = tmp_path / "a.yaml"
        file.write_text(yaml.safe_dump(made))
        return kedge("schedule", "preview", "-f", str(file), *args)

    return run


def runs(result: Result) -> list[str]:
    assert result.exit_code == 0, result.stderr
    found: list[str] = json.loads(result.stdout)["next"]
    return found


def test_the_coming_runs_are_shown_in_the_zone_of_the_schedule(preview: Any) -> None:
    zone = {"schedule": "CRON_TZ=Europe/Amsterdam 30 2 * * *"}
    assert preview("--count", "3", spec=zone).stdout == (
        "Schedule     a\n"
        "Expression   CRON_TZ=Europe/Amsterdam 30 2 * * *\n"
        "In words     At 02:30, on the clock of Europe/Amsterdam.\n"
        "\n"
        "LOCAL TIME (Europe/Amsterdam)   UTC                    FROM NOW     NOTE\n"
        "Sat 2026-03-28 02:30 +01:00     2026-03-28T01:30:00Z   in 13h 30m\n"
        "Sun 2026-03-29 02:30                                                "
        "skipped: 02:30 does not exist that day\n"
        "Mon 2026-03-30 02:30 +02:00     2026-03-30T00:30:00Z   in 2d 12h\n"
        "Tue 2026-03-31 02:30 +02:00     2026-03-31T00:30:00Z   in 3d 12h\n"
    )


def test_the_option_on_clock_changes_counts(preview: Any) -> None:
    spec = {"schedule": "CRON_TZ=Europe/Amsterdam 30 2 * * *"}
    meta = {"annotations": {"kedge.dev/dst": "once"}}
    text = preview("--count", "2", spec=spec, metadata=meta).stdout
    assert "Clock changes   each run takes place once\n" in text
    assert "2026-03-29T01:00:00Z" in text
    assert "moved: 02:30 does not exist that day" in text


def test_five_are_listed_unless_told_otherwise(preview: Any) -> None:
    assert len(runs(preview("-o", "json"))) == 5


def test_an_end_may_be_given(preview: Any) -> None:
    assert runs(preview("-o", "json", "--until", "2026-03-29")) == [
        "2026-03-28T00:00:00Z",
        "2026-03-29T00:00:00Z",
    ]
    assert runs(preview("-o", "json", "--until", "2026-03-29", "--count", "1")) == [
        "2026-03-28T00:00:00Z"
    ]
    assert preview("--until", "2026-03-27").stdout.endswith("\n\nno runs in this time\n")


def test_a_long_time_is_cut_aloud(preview: Any) -> None:
    result = preview("-o", "json", "--until", "2027-01-01", spec={"schedule": "* * * * *"})
    assert len(runs(result)) == 1000
    assert result.stderr == "kedge: stopped after 1000 runs; --count lists more\n"


def test_an_interval_is_counted_from_the_last_run(preview: Any) -> None:
    result = preview(
        "-o", "json", "--count", "2",
        spec={"schedule": "@every 90m"},
        status={"phase": "Enabled", "lastBackup": "2026-03-27T11:10:00Z"},
    )  # fmt: skip
    assert runs(result) == ["2026-03-27T12:40:00Z", "2026-03-27T14:10:00Z"]


def test_the_jitter_is_that_of_the_uid(preview: Any) -> None:
    meta = {"annotations": {"kedge.dev/jitter": "1h"}}
    unborn = json.loads(preview("-o", "json", metadata=meta).stdout)
    assert unborn["next"][0] == "2026-03-28T00:00:00Z"
    assert "known once the schedule is created" in unborn["notes"][0]
    first = json.loads(preview("-o", "json", metadata={**meta, "uid": "1"}).stdout)
    other = json.loads(preview("-o", "json", metadata={**meta, "uid": "2"}).stdout)
    assert 0 < first["delaySeconds"] < 3600
    assert first["delaySeconds"] != other["delaySeconds"]
    assert first == json.loads(preview("-o", "json", metadata={**meta, "uid": "1"}).stdout)


@pytest.mark.parametrize(
    ("parts", "note", "first"),
    [
        pytest.param(
            {"spec": {"paused": True}},
            "paused until it is unpaused: no backups before that",
            "2026-03-28T00:00:00Z",
            id="paused",
        ),
        pytest.param(
            {"metadata": {"annotations": {"kedge.dev/pause-until": "2026-04-01T12:00:00Z"}}},
            "paused until 2026-04-01T12:00:00Z: no backups before that",
            "2026-04-02T00:00:00Z",
            id="paused until a time",
        ),
        pytest.param(
            {"status": {"phase": "Enabled", "lastBackup": "2026-03-25T00:00:01Z"}},
            "a run is due since 2026-03-27T00:00:00Z, and made as soon as it can be",
            "2026-03-28T00:00:00Z",
            id="due",
        ),
        pytest.param(
            {
                "status": {"phase": "Enabled", "lastBackup": "2026-03-25T00:00:01Z"},
                "metadata": {"annotations": {"kedge.dev/missed-runs": "skip"}},
            },
            "the run of 2026-03-27T00:00:00Z is missed, and not made up for",
            "2026-03-28T00:00:00Z",
            id="missed",
        ),
        pytest.param(
            {"spec": {"skipImmediately": True}},
            "a run that is due at once is skipped",
            "2026-03-28T00:00:00Z",
            id="skipped",
        ),
    ],
)
def test_what_stands_in_the_way_is_told(
    preview: Any, parts: dict[str, Any], note: str, first: str
) -> None:
    document = json.loads(preview("-o", "json", **parts).stdout)
    assert note in document["notes"]
    assert document["next"][0] == first


def test_one_that_can_not_run_is_a_failure(preview: Any) -> None:
    result = preview(spec={"schedule": "61 * * * *"})
    assert result.exit_code == 1
    assert result.stderr == (
        "An error occurred: Schedule \"a\": invalid schedule: minute '61': 61 is outside 0-59\n"
    )


def test_a_name_that_the_file_does_not_have_is_a_failure(preview: Any) -> None:
    result = preview("a", "b")
    assert result.exit_code == 1
    assert result.stdout.startswith("Schedule     a\n")
    assert 'there is no Schedule "b" in ' in result.stderr


HEAD = "apiVersion: velero.io/v1\nkind: Schedule\n"


@pytest.mark.parametrize(
    "text",
    [
        "metadata: 5\nspec: x\n",
        "spec: {schedule: 7}\n",
        "metadata: {name: a, creationTimestamp: soon}\nspec: {schedule: '@daily'}\n",
        "metadata: {name: a, labels: [b]}\nspec: {schedule: '@daily'}\n",
        "spec: {schedule: '@daily'}\nstatus: {lastBackup: once}\n",
        "metadata: {name: a}\n",
    ],
)
def test_a_file_that_holds_no_good_schedule_is_a_failure(
    kedge: Run, tmp_path: Path, text: str
) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text(HEAD + text)
    result = kedge("schedule", "preview", "-f", str(file))
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("An error occurred: ")


def test_all_schedules_of_a_file_are_shown_also_those_of_one_name(
    kedge: Run, tmp_path: Path
) -> None:
    file = tmp_path / "two.yaml"
    spec = "spec: {schedule: '@daily'}\n"
    names = ("{name: a, namespace: b}", "{name: a, namespace: c, labels: {x: y}}")
    file.write_text("---\n".join(f"{HEAD}metadata: {name}\n{spec}" for name in names))
    document = json.loads(kedge("schedule", "preview", "-f", str(file), "-o", "json").stdout)
    assert [one["namespace"] for one in document["items"]] == ["b", "c"]
    chosen = kedge("schedule", "preview", "-f", str(file), "-l", "x=y", "-o", "json").stdout
    assert json.loads(chosen)["namespace"] == "c"
