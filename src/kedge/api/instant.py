"""Times as fields of objects hold them."""

from datetime import datetime

from kedge.kube.times import parse_time


def instant_of(text: str | None) -> datetime | None:
    """Read a field that may be absent, into an aware time in UTC; raises TimeError."""
    return parse_time(text) if text else None
