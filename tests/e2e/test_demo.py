"""`kedge up --demo`: all of Kedge is there to be seen, and a second time changes nothing."""

import json
from pathlib import Path

from tests.e2e.terminal import CTRL_C, terminal
from tests.e2e.test_up import READY, UP, kedge, kubectl, needs_kubectl

KINDS = "schedules,backups,prescaledcronjobs,nonadminbackups,configmaps"


def uids(folder: Path) -> dict[str, str]:
    """Give the identities of what the example is made of."""
    names = {"nightly", "weekly", "first-look", "report", "our-own", "tides", "timetable"}
    found = json.loads(kubectl(folder, "get", KINDS, "-A", "-o", "json"))["items"]
    metas = [one["metadata"] for one in found]
    return {meta["name"]: meta["uid"] for meta in metas if meta["name"] in names}


@needs_kubectl
def test_the_example_shows_all_there_is_and_is_loaded_once(tmp_path: Path) -> None:
    ended = "--for=jsonpath={.status.completionTimestamp}"
    with terminal([*UP, "--demo"], tmp_path) as screen:
        shown = screen.wait_for(READY)
        assert " status\n" in shown
        kubectl(tmp_path, "wait", ended, "backup/first-look", "-n", "velero", "--timeout=60s")
        done = "--for=jsonpath={.status.veleroBackup.status.phase}=Completed"
        kubectl(tmp_path, "wait", done, "nab/our-own", "-n", "ferry", "--timeout=60s")
        ready = "--for=condition=Ready"
        kubectl(tmp_path, "wait", ready, "pscj/report", "-n", "ferry", "--timeout=60s")
        text = kedge(tmp_path, "status")
        assert "nothing is wrong" in text
        for part in ("nab ferry/our-own", "backup first-look", "schedule nightly", "ferry/report"):
            assert part in text
        assert "schedule weekly: paused" in text
        before = uids(tmp_path)
        assert len(before) == 7
        screen.press(CTRL_C)
        assert screen.end() == 0
    with terminal([*UP, "--demo"], tmp_path) as screen:
        screen.wait_for(READY)
        assert uids(tmp_path) == before
        assert "nothing is wrong" in kedge(tmp_path, "status")
        screen.press(CTRL_C)
        assert screen.end() == 0
