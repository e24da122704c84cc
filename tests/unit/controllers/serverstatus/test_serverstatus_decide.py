"""What becomes of a ServerStatusRequest."""

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from kedge.api.velero.server_status import ServerStatusRequest
from kedge.controllers.serverstatus.decide import Answer, Remove, Wait, decide
from kedge.controllers.serverstatus.plugins import built_in

NOW = datetime(2030, 1, 1, tzinfo=UTC)


def request(created: str | None = "2029-12-31T23:59:30Z", **status: Any) -> ServerStatusRequest:
    """Make a request."""
    parts = {"metadata": {"creationTimestamp": created}, "status": status}
    return msgspec.convert(parts, ServerStatusRequest)


@pytest.mark.parametrize(
    ("one", "becomes"),
    [
        (request(), Answer()),
        (request(phase="New"), Answer()),
        (request(phase="Whatever"), None),
        (request(phase="Processed", processedTimestamp="2029-12-31T23:59:00Z"), Remove()),
        (
            request(phase="Processed", processedTimestamp="2029-12-31T23:59:01Z"),
            Wait(datetime(2030, 1, 1, 0, 0, 1, tzinfo=UTC)),
        ),
        (request(phase="Processed"), Wait(datetime(2030, 1, 1, 0, 0, 30, tzinfo=UTC))),
        (
            request(phase="Processed", processedTimestamp="nonsense"),
            Wait(datetime(2030, 1, 1, 0, 0, 30, tzinfo=UTC)),
        ),
        (request(None, phase="Processed"), Wait(datetime(2030, 1, 1, 0, 1, tzinfo=UTC))),
    ],
)
def test_a_request(one: ServerStatusRequest, becomes: object) -> None:
    assert decide(one, NOW) == becomes


def test_what_is_built_in_has_each_name_once_for_its_kind() -> None:
    names = [(one.kind, one.name) for one in built_in()]
    assert len(names) == len(set(names))
    assert names == sorted(names)
