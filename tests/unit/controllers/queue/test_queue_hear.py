"""What the queue makes of what it is told in its own process."""

from typing import Any, cast

import pytest

from kedge.api.velero.backup import BackupPhase
from kedge.client import Client
from kedge.controllers.queue.controller import QueueController, QueueSettings
from kedge.controllers.queue.heads import BACKUP_HEAD
from kedge.controllers.queue.moment import Moment
from kedge.controllers.queue.passes import Passes
from kedge.controllers.queue.recent import Recent
from kedge.runtime import Cache, Key
from kedge.testing import FakeClock

KEY = Key("velero", "next")


def controller() -> QueueController:
    clock = FakeClock()
    backups, namespaces = Cache(BACKUP_HEAD), cast("Any", Cache(BACKUP_HEAD))
    helpers = Recent(clock), Passes(clock), Moment(clock)
    nobody = cast("Client", None)
    made = QueueController(nobody, backups, namespaces, clock, QueueSettings(), *helpers)
    made.wake = lambda key: None
    return made


def told(phase: str) -> dict[str, Any]:
    metadata = {"name": KEY.name, "namespace": KEY.namespace, "uid": "1", "resourceVersion": "5"}
    return {"metadata": metadata, "status": {"phase": phase}}


@pytest.mark.parametrize(
    ("phase", "is_over"),
    [
        ("", False),
        (BackupPhase.QUEUED, False),
        (BackupPhase.READY_TO_START, False),
        (BackupPhase.IN_PROGRESS, True),
        (BackupPhase.FAILED_VALIDATION, True),
    ],
)
def test_a_start_is_over_when_the_backup_runs_or_is_refused(phase: str, is_over: bool) -> None:
    made = controller()
    made.moment.begin(KEY)
    made.hear(told(phase))
    assert (made.moment.seconds == 0) is is_over
