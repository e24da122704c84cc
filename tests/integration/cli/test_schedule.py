"""`kedge schedule` on the embedded API: what it prints, what it sends, and how it ends."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import Result

from tests.integration.cli.session import Session, session

TABLE = """\
NAME      STATUS    CREATED                         SCHEDULE    BACKUP TTL   LAST BACKUP   SELECTOR   PAUSED
nightly   Enabled   2026-03-27 12:00:00 +0000 UTC   @daily      720h0m0s     3h ago        a=b        false
weekly    New       2026-03-27 12:00:00 +0000 UTC   0 3 * * 0   0s           n/a           <none>     true
"""  # noqa: E501 - as it is printed
CHOICE = (
    "An error occurred: you must specify exactly one of: specific schedule name(s), the --all "
    "flag, or the --selector flag\n"
)


def said(result: Result) -> tuple[int, str, str]:
    return result.exit_code, result.stdout, result.stderr


def absent(name: str) -> str:
    return (
        f'An error occurred: schedules.velero.io "{name}" not found\n'
        'hint: looked for in namespace "velero"; -n names another one\n'
    )


class TestCreate:
    def test_it_says_so_and_the_object_is_there(self, place: Session) -> None:
        result = place.kedge("schedule", "create", "nightly", "--schedule", "30 2 * * *")
        assert said(result) == (0, 'Schedule "nightly" created successfully.\n', "")
        assert place.get("nightly")["spec"] == {
            "schedule": "30 2 * * *",
            "template": {"includedNamespaces": ["*"]},
            "useOwnerReferencesInBackup": False,
        }

    def test_annotations_are_kept(self, place: Session) -> None:
        place.kedge(
            "create", "schedule", "a", "--schedule=@daily", "--labels=x=y",
            "--annotations=kedge.dev/jitter=15m,team=red",
        )  # fmt: skip
        meta = place.get("a")["metadata"]
        assert meta["labels"] == {"x": "y"}
        assert meta["annotations"] == {"kedge.dev/jitter": "15m", "team": "red"}

    def test_one_that_is_there_is_an_error(self, place: Session) -> None:
        place.create("a")
        result = place.kedge("schedule", "create", "a", "--schedule", "@daily")
        assert said(result) == (
            1,
            "",
            'An error occurred: schedules.velero.io "a" already exists\n',
        )

    def test_a_bad_expression_is_not_sent(self, place: Session) -> None:
        result = place.kedge("schedule", "create", "a", "--schedule", "0 25 * * *")
        assert said(result) == (
            1,
            "",
            "An error occurred: invalid schedule: hour '25': 25 is outside 0-23\n",
        )
        assert place.names() == []

    def test_a_location_that_is_not_there_is_told_before_anything_is_sent(
        self, place: Session
    ) -> None:
        result = place.kedge(
            "schedule", "create", "a", "--schedule", "@daily",
            "--storage-location", "attic", "--volume-snapshot-locations", "cellar",
        )  # fmt: skip
        assert result.exit_code == 1
        assert 'backupstoragelocations.velero.io "attic" not found' in result.stderr
        assert 'volumesnapshotlocations.velero.io "cellar" not found' in result.stderr
        assert place.names() == []

    def test_a_namespace_that_is_not_there_is_told(self, place: Session) -> None:
        result = place.kedge("-n", "nowhere", "schedule", "create", "a", "--schedule", "@daily")
        assert said(result) == (
            1,
            "",
            'An error occurred: namespaces "nowhere" not found; name one that is there with -n\n',
        )

    def test_what_is_printed_is_not_sent(self, place: Session) -> None:
        result = place.kedge("schedule", "create", "a", "--schedule", "@daily", "-o", "json")
        assert json.loads(result.stdout)["metadata"] == {"name": "a", "namespace": "velero"}
        assert place.names() == []

    def test_what_is_printed_can_be_sent_and_previewed(
        self, place: Session, tmp_path: Path
    ) -> None:
        result = place.kedge("schedule", "create", "a", "--schedule", "@daily", "-o", "yaml")
        file = tmp_path / "a.yaml"
        file.write_text(result.stdout)
        preview = place.kedge("schedule", "preview", "-f", str(file), "--count", "1")
        assert "2026-03-28T00:00:00Z" in preview.stdout
        spec = yaml.safe_load(result.stdout)["spec"]
        place.create("a", **spec)
        assert place.get("a")["spec"] == spec


class TestGet:
    def test_the_table_has_the_columns_of_velero(self, place: Session) -> None:
        template = {"ttl": "720h", "labelSelector": {"matchLabels": {"a": "b"}}}
        place.create("nightly", template=template)
        place.create("weekly", schedule="0 3 * * 0", paused=True)
        place.set_status("nightly", {"phase": "Enabled", "lastBackup": "2026-03-27T09:00:00Z"})
        assert said(place.kedge("schedule", "get")) == (0, TABLE, "")
        assert said(place.kedge("get", "schedules")) == (0, TABLE, "")
        assert said(place.kedge("get", "schedule")) == (0, TABLE, "")

    def test_nothing_is_no_table_and_no_failure(self, place: Session) -> None:
        assert said(place.kedge("schedule", "get")) == (0, "", "No schedules found\n")

    def test_a_name_that_is_not_there_fails_beside_those_that_are(self, place: Session) -> None:
        place.create("a")
        result = place.kedge("schedule", "get", "a", "b", "-o", "name")
        assert said(result) == (1, "schedule.velero.io/a\n", absent("b"))

    def test_only_the_namespace_is_listed_unless_all_are_asked_for(self, place: Session) -> None:
        place.create("a")
        place.namespace("other")
        place.create("b", namespace="other")
        assert place.kedge("schedule", "get", "-o", "name").stdout == "schedule.velero.io/a\n"
        everywhere = place.kedge("schedule", "get", "-A").stdout.splitlines()
        assert [line.split()[:2] for line in everywhere] == [
            ["NAMESPACE", "NAME"],
            ["other", "b"],
            ["velero", "a"],
        ]
        assert place.kedge("schedule", "get", "-o", "name", KEDGE_NAMESPACE="other").stdout == (
            "schedule.velero.io/b\n"
        )

    def test_one_object_is_printed_as_itself_and_several_as_a_list(self, place: Session) -> None:
        place.create("a")
        one = json.loads(place.kedge("schedule", "get", "-o", "json").stdout)
        assert (one["apiVersion"], one["kind"]) == ("velero.io/v1", "Schedule")
        assert "managedFields" not in one["metadata"]
        place.create("b")
        several = yaml.safe_load(place.kedge("schedule", "get", "-o", "yaml").stdout)
        assert several["kind"] == "ScheduleList"
        assert [item["kind"] for item in several["items"]] == ["Schedule", "Schedule"]

    def test_labels_select_and_can_be_shown(self, place: Session) -> None:
        for name, team in (("a", "red"), ("b", "blue")):
            labels = f"team={team},example.com/tier=db"
            place.kedge("schedule", "create", name, "--schedule=@daily", "--labels", labels)
        table = place.kedge(
            "schedule", "get", "-l", "team=red", "-L", "team,example.com/tier,no", "--show-labels"
        ).stdout.splitlines()
        assert len(table) == 2
        assert table[0].split()[-4:] == ["TEAM", "TIER", "NO", "LABELS"]
        assert table[1].split()[-4:] == ["red", "db", "<none>", "example.com/tier=db,team=red"]

    @pytest.mark.parametrize("extra", [("-l", "a=b"), ("-A",)])
    def test_names_do_not_go_with_what_selects(self, place: Session, extra: Any) -> None:
        result = place.kedge("schedule", "get", "a", *extra)
        assert result.exit_code == 2
        assert "can not be used together" in result.stderr


class TestDelete:
    def test_it_asks_first(self, place: Session) -> None:
        place.create("a")
        prompt = "Are you sure you want to continue (Y/N)? "
        assert said(place.kedge("schedule", "delete", "a", stdin="n\n")) == (0, prompt, "")
        assert place.names() == ["a"]
        again = place.kedge("schedule", "delete", "a", stdin="yes\n\nY\n")
        assert said(again) == (0, prompt * 3 + "Schedule deleted: a\n", "")
        assert place.names() == []

    def test_nobody_to_ask_is_a_failure(self, place: Session) -> None:
        place.create("a")
        result = place.kedge("schedule", "delete", "--all")
        assert result.exit_code == 1
        assert "use --confirm" in result.stderr
        assert place.names() == ["a"]

    def test_confirmed_it_does_not_ask(self, place: Session) -> None:
        place.create("a")
        place.create("b")
        result = place.kedge("delete", "schedules", "--all", "--confirm")
        assert said(result) == (0, "Schedule deleted: a\nSchedule deleted: b\n", "")

    def test_all_is_all_of_the_namespace(self, place: Session) -> None:
        place.create("a")
        place.kedge("schedule", "delete", "--all", "--confirm", "-n", "kube-public")
        assert place.names() == ["a"]

    def test_a_name_that_is_not_there_fails_after_the_others_are_gone(self, place: Session) -> None:
        place.create("a")
        result = place.kedge("schedule", "delete", "b", "a", "--confirm")
        assert said(result) == (1, "Schedule deleted: a\n", absent("b"))

    def test_nothing_to_delete_is_no_failure(self, place: Session) -> None:
        result = place.kedge("schedule", "delete", "-l", "a=b", "--confirm")
        assert said(result) == (0, "No schedules found\n", "")

    @pytest.mark.parametrize(
        "args",
        [
            (),
            ("a", "--all"),
            ("a", "-l", "b=c"),
            ("--all", "-l", "b=c"),
            ("-l", ""),
            ("--all=false",),
        ],
    )
    def test_exactly_one_way_to_choose_is_used(self, place: Session, args: Any) -> None:
        for verb in ("delete", "pause", "unpause"):
            extra = ("--confirm",) if verb == "delete" else ()
            result = place.kedge("schedule", verb, *args, *extra)
            assert said(result) == (2, "", CHOICE)


class TestPause:
    def test_pausing_and_unpausing_say_so(self, place: Session) -> None:
        place.create("a")
        assert said(place.kedge("schedule", "pause", "a")) == (
            0,
            "Schedule a paused successfully\n",
            "",
        )
        assert place.get("a")["spec"]["paused"] is True
        assert said(place.kedge("schedule", "pause", "a")) == (
            0,
            "Schedule a is already paused, skip\n",
            "",
        )
        assert said(place.kedge("schedule", "unpause", "a")) == (
            0,
            "Schedule a unpaused successfully\n",
            "",
        )
        assert place.get("a")["spec"]["paused"] is False
        assert said(place.kedge("schedule", "unpause", "a")) == (
            0,
            "Schedule a is already unpaused, skip\n",
            "",
        )

    def test_neither_touches_the_skip_that_is_in_the_spec(self, place: Session) -> None:
        for value in (True, False):
            name = f"skip-{value}".lower()
            place.create(name, skipImmediately=value)
            place.kedge("schedule", "pause", name)
            assert place.get(name)["spec"]["skipImmediately"] is value
            place.kedge("schedule", "unpause", name)
            assert place.get(name)["spec"]["skipImmediately"] is value

    @pytest.mark.parametrize(
        ("flag", "value"),
        [
            ("--skip-immediately", True),
            ("--skip-immediately=true", True),
            ("--skip-immediately=false", False),
            ("--skip-immediately=", None),
        ],
    )
    def test_the_flag_overrides_what_was_there(
        self, place: Session, flag: str, value: bool | None
    ) -> None:
        before = None if value is None else not value
        spec: dict[str, Any] = {} if before is None else {"skipImmediately": before}
        place.create("a", paused=True, **spec)
        result = place.kedge("schedule", "unpause", flag, "a")
        assert said(result) == (0, "Schedule a unpaused successfully\n", "")
        assert place.get("a")["spec"].get("skipImmediately") is value

    @pytest.mark.parametrize("verb", ["pause", "unpause"])
    def test_the_flag_has_its_value_in_the_next_word_too(self, place: Session, verb: str) -> None:
        place.create("a", paused=verb == "unpause")
        result = place.kedge("schedule", verb, "--skip-immediately", "true", "a")
        assert said(result) == (0, f"Schedule a {verb}d successfully\n", "")
        assert place.get("a")["spec"]["skipImmediately"] is True

    @pytest.mark.parametrize("value", [True, False])
    def test_pause_says_what_the_next_unpause_does(self, place: Session, value: bool) -> None:
        place.create("a", skipImmediately=not value)
        flag = f"--skip-immediately={str(value).lower()}"
        result = place.kedge("schedule", "pause", "a", flag)
        assert said(result) == (0, "Schedule a paused successfully\n", "")
        spec = place.get("a")["spec"]
        assert (spec["paused"], spec["skipImmediately"]) == (True, value)

    def test_the_flag_on_one_that_runs_is_not_dropped_in_silence(self, place: Session) -> None:
        place.create("a")
        result = place.kedge("schedule", "unpause", "a", "--skip-immediately")
        assert (result.exit_code, result.stdout) == (0, "Schedule a is already unpaused, skip\n")
        assert "--skip-immediately" in result.stderr
        assert "skipImmediately" not in place.get("a")["spec"]

    def test_fields_that_nobody_knows_survive(self, place: Session) -> None:
        place.create("a", template={"ttl": "1h0m0s", "hooks": {}})
        before = place.get("a")["spec"]
        place.kedge("schedule", "pause", "a")
        assert place.get("a")["spec"] == {**before, "paused": True}

    def test_all_and_labels_stay_in_the_namespace(self, place: Session) -> None:
        place.create("a")
        for choice in (("--all",), ("-l", "!x")):
            result = place.kedge("schedule", "pause", *choice, "-n", "kube-public")
            assert said(result) == (0, "No schedules found\n", "")
        assert "paused" not in place.get("a")["spec"]
        assert place.kedge("schedule", "pause", "--all").stdout == (
            "Schedule a paused successfully\n"
        )

    def test_a_name_that_is_not_there_fails_beside_those_that_are(self, place: Session) -> None:
        place.create("a")
        result = place.kedge("schedule", "pause", "b", "a", "schedule/a")
        assert said(result) == (1, "Schedule a paused successfully\n", absent("b"))

    def test_a_pause_until_is_pointed_out(self, place: Session) -> None:
        until = "kedge.dev/pause-until=2026-04-01T00:00:00Z"
        place.kedge("schedule", "create", "a", "--schedule=@daily", "--annotations", until)
        result = place.kedge("schedule", "unpause", "a")
        assert "waits until 2026-04-01T00:00:00Z" in result.stderr


class TestBackupFromSchedule:
    def test_it_is_named_after_the_present_and_not_marked_as_a_run(self, place: Session) -> None:
        place.kedge(
            "schedule", "create", "a", "--schedule=@daily", "--ttl=1h", "--labels=team=red",
            "--annotations=kedge.dev/jitter=5m,note=x", "--paused",
        )  # fmt: skip
        result = place.kedge(
            "backup", "create", "--from-schedule", "a", "--labels=by=hand", "--annotations=why=y"
        )
        name = "a-20260327120000"
        assert said(result) == (
            0,
            "Creating backup from schedule, all other filters are ignored.\n"
            f'Backup request "{name}" submitted successfully.\n'
            f"Run `kedge backup describe {name}` or `kedge backup logs {name}` "
            "for more details.\n",
            "",
        )
        backup = place.get(name, backup=True)
        assert backup["spec"] == {"includedNamespaces": ["*"], "ttl": "1h0m0s"}
        assert backup["metadata"]["labels"] == {
            "team": "red",
            "by": "hand",
            "velero.io/schedule-name": "a",
        }
        assert backup["metadata"]["annotations"] == {"note": "x", "why": "y"}

    def test_it_can_have_a_name_and_be_printed_only(self, place: Session) -> None:
        place.create("a")
        result = place.kedge("create", "backup", "mine", "--from-schedule", "a", "-o", "name")
        assert said(result) == (0, "backup.velero.io/mine\n", "")

    def test_a_schedule_that_is_not_there_fails(self, place: Session) -> None:
        result = place.kedge("backup", "create", "--from-schedule", "b")
        assert said(result) == (1, "", absent("b"))

    @pytest.mark.parametrize(
        ("args", "line"),
        [
            (("--from-schedule", ""), "flag must have a non-empty value: --from-schedule"),
            ((), "a backup name is required, unless you are creating based on a schedule"),
        ],
    )
    def test_without_a_schedule_it_is_wrong_usage(
        self, place: Session, args: Any, line: str
    ) -> None:
        result = place.kedge("backup", "create", *args)
        assert result.exit_code == 2
        assert result.stderr.startswith(f"An error occurred: {line}")


class TestDescribe:
    def test_several_are_separated_by_two_empty_lines(self, place: Session) -> None:
        place.create("a")
        place.create("b")
        both = place.kedge("describe", "schedules").stdout
        one, other = both.split("\n\n\n")
        assert f"{one}\n" == place.kedge("schedule", "describe", "a").stdout
        assert other == place.kedge("describe", "schedule", "b").stdout

    def test_a_name_that_is_not_there_fails(self, place: Session) -> None:
        assert said(place.kedge("schedule", "describe", "b")) == (1, "", absent("b"))

    def test_colour_is_there_when_it_is_asked_for(self, place: Session) -> None:
        place.create("a")
        place.set_status("a", {"phase": "Enabled"})
        assert "\x1b" not in place.kedge("schedule", "describe", "a").stdout
        coloured = place.kedge("schedule", "describe", "a", "--colorized").stdout
        assert "\x1b[32mEnabled\x1b[0m" in coloured
        assert "\x1b[1ma\x1b[0m" in coloured


class TestFailures:
    def test_no_cluster_is_one_line(self, place: Session, tmp_path: Path) -> None:
        result = place.kedge("schedule", "get", "--kubeconfig", str(tmp_path / "none"))
        assert result.exit_code == 1
        assert result.stderr.startswith("An error occurred: ")
        assert result.stderr.count("\n") == 1

    def test_a_context_that_is_not_there_is_named(self, place: Session) -> None:
        result = place.kedge("schedule", "get", "--kubecontext", "elsewhere")
        assert result.exit_code == 1
        assert "elsewhere" in result.stderr

    @pytest.mark.parametrize("name", ["a/b", "..", ""])
    def test_what_is_no_name_is_refused(self, place: Session, name: str) -> None:
        result = place.kedge("schedule", "get", name)
        assert result.exit_code == 1
        assert "is no name of an object" in result.stderr

    def test_what_is_no_namespace_is_refused(self, place: Session) -> None:
        result = place.kedge("schedule", "get", "-n", "a/b")
        assert result.exit_code == 2
        assert '"a/b" is no name of a namespace' in result.stderr


def test_the_controller_acts_on_what_the_commands_send() -> None:
    with session(controlled=True) as place:
        place.kedge("schedule", "create", "a", "--schedule", "@daily", "--paused")
        text = place.kedge("schedule", "describe", "a").stdout
        assert "Paused:  true" in text
        place.kedge("schedule", "unpause", "a", "--skip-immediately")
        text = place.kedge("schedule", "describe", "a").stdout
        assert "Last Skipped:      2026-03-27 12:00:00 +0000 UTC\n" in text
        assert "Next Run:          2026-03-28 00:00:00 +0000 UTC (in 12h)\n" in text
        assert "Skip Immediately:  <as the server says>\n" in text
