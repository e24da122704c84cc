"""When a JSON Web Token ends; who signed it is for the server to check."""

import base64
import binascii
import json
import math
from datetime import UTC, datetime

_PARTS = 3
_FIRST = datetime(1, 1, 1, tzinfo=UTC)
_LAST = datetime(9999, 12, 31, tzinfo=UTC)


def expiry(token: str) -> datetime | None:
    """Give the end of a token, long ago if it does not say; None if it is not a token."""
    parts = token.split(".")
    if len(parts) != _PARTS:
        return None
    try:
        padded = parts[1] + "=" * (-len(parts[1]) % 4)
        claims = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
        return _instant(claims.get("exp", 0))
    except (binascii.Error, ValueError, AttributeError, TypeError, RecursionError):
        return None


def _instant(seconds: float) -> datetime:
    if isinstance(seconds, bool) or not math.isfinite(seconds):
        raise ValueError("not a time")
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):
        return _LAST if seconds > 0 else _FIRST
