"""What becomes of a DownloadRequest."""

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from kedge.api.velero.download_request import DownloadRequest
from kedge.controllers.download.decide import Answer, Remove, Wait, answered, decide, expiry

NOW = datetime(2030, 1, 1, 0, 0, 0, 999_999, UTC)
LATER = datetime(2030, 1, 1, 0, 5, tzinfo=UTC)


def request(**status: Any) -> DownloadRequest:
    """Make a request."""
    meta = {"creationTimestamp": "2029-12-31T23:55:00Z"}
    return msgspec.convert({"metadata": meta, "status": status}, DownloadRequest)


@pytest.mark.parametrize(
    ("one", "becomes"),
    [
        (request(), Answer(None)),
        (request(phase="New"), Answer(None)),
        (request(expiration="nonsense"), Answer(None)),
        (request(expiration="2030-01-01T00:05:00Z"), Answer(LATER)),
        (request(expiration="2030-01-01T00:00:00Z"), Remove()),
        (request(phase="Processed", expiration="2030-01-01T00:05:00Z"), Wait(LATER)),
        (request(phase="Processed", expiration="2030-01-01T00:00:00Z"), Remove()),
        (request(phase="Processed"), Wait(LATER)),
    ],
)
def test_a_request(one: DownloadRequest, becomes: object) -> None:
    assert decide(one, NOW) == becomes


def test_the_answer_is_good_for_ten_minutes_to_the_second() -> None:
    assert answered("http://x", expiry(NOW)) == {
        "phase": "Processed",
        "downloadURL": "http://x",
        "expiration": "2030-01-01T00:10:00Z",
    }
