"""URLs that whoever has one may GET for some time, for objects that lie in a folder.

The signature binds the path and the time; nothing else of a request matters.
"""

import hashlib
import hmac
from collections.abc import Mapping
from datetime import datetime
from typing import Final
from urllib.parse import quote

from kedge.objects.errors import Refused

KEY_BYTES: Final = 32
"""Length of a key: that of a SHA-256."""
PATH: Final = "/objects/"
"""Where on our server the objects are."""

_LONGEST_TIME: Final = 12
"""Digits of a time in seconds; more are no time of ours."""


class UrlExpired(Refused):
    """A URL was good, and is not any more."""


def sign(secret: bytes, url: str, path: str, expires: datetime) -> str:
    """Give the URL of a path below the address of our server, good until that time."""
    until = str(int(expires.timestamp()))
    signature = _signature(secret, path, until)
    return f"{url.rstrip('/')}{PATH}{quote(path)}?expires={until}&signature={signature}"


def verify(secret: bytes, path: str, query: Mapping[str, str], now: datetime) -> None:
    """Raise Refused unless this path, with %-escapes undone, may be read now."""
    until, signature = query.get("expires", ""), query.get("signature", "")
    right = _signature(secret, path, until)
    if not hmac.compare_digest(right.encode(), signature.encode(errors="replace")):
        raise Refused("the signature of the URL is wrong")
    if now.timestamp() >= int(until):
        raise UrlExpired("the URL has expired; ask for a new one")


def _signature(secret: bytes, path: str, until: str) -> str:
    if not (until.isascii() and until.isdigit() and len(until) <= _LONGEST_TIME):
        raise Refused("the URL has no time at which it expires")
    text = f"GET\n{path}\n{until}".encode(errors="surrogatepass")
    return hmac.new(secret, text, hashlib.sha256).hexdigest()
