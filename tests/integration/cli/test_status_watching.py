"""`kedge status -w` in a terminal: drawn again when something changes, ended with Ctrl-C."""

import sys
from pathlib import Path

from tests.e2e.terminal import CTRL_C, terminal
from tests.integration.cli.hand import Hand
from tests.integration.cli.session import session


def test_it_is_drawn_again_when_something_changes(tmp_path: Path) -> None:
    with session(hand=Hand()) as place:
        command = ["env", f"KUBECONFIG={place.kube.kubeconfig}", sys.executable, "-m", "kedge"]
        with terminal([*command, "status", "-w"], tmp_path) as screen:
            screen.wait_for("there is no schedule")
            place.create("nightly")
            screen.wait_for("schedule nightly")
            screen.press(CTRL_C)
            assert screen.end() == 130
            assert "Traceback" not in screen.screen
