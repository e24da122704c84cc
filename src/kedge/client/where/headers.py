"""The headers that say who we are, and whom we act as."""

import base64
import re
import string
from typing import Final

from multidict import CIMultiDict, CIMultiDictProxy

from kedge.client.where.entries import User
from kedge.client.where.errors import ConfigError

_FORBIDDEN: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f\ud800-\udfff]")
_LEGAL: Final = frozenset((string.ascii_letters + string.digits + "!#$&'*+-.^_`|~").encode())
"""Bytes of a header's name; a percent sign is one, too, but it is what others are escaped with."""


def bearer(token: str, name: str) -> str:
    """Make the value of Authorization from a token; raises ConfigError if it cannot be sent."""
    return f"Bearer {_sendable(token, name)}"


def basic(username: str, password: str) -> str:
    """Make the value of Authorization from a user and a password."""
    pair = f"{username}:{password}".encode("utf-8", "surrogatepass")
    return f"Basic {base64.b64encode(pair).decode('ascii')}"


def impersonating(user: User) -> CIMultiDict[str]:
    """Make the Impersonate-* headers; raises ConfigError if they cannot be sent."""
    whom = user.impersonation
    made: CIMultiDict[str] = CIMultiDict()
    if not whom.user:
        if whom.uid or whom.groups or whom.extra:
            raise ConfigError(
                f"{user.called('as')} must name a user, as as-uid, as-groups or as-user-extra"
                " is given"
            )
        return made
    made.add("Impersonate-User", _sendable(whom.user, user.called("as")))
    if whom.uid:
        made.add("Impersonate-Uid", _sendable(whom.uid, user.called("as-uid")))
    for index, group in enumerate(whom.groups):
        sent = _sendable(group, f"{user.called('as-groups')}[{index}]")
        made.add("Impersonate-Group", sent)
    for key, values in whom.extra.items():
        for value in values:
            sent = _sendable(value, user.called("as-user-extra"))
            made.add(f"Impersonate-Extra-{escaped(key)}", sent)
    return made


def together(authorization: str | None, others: CIMultiDict[str]) -> CIMultiDictProxy[str]:
    """Give all headers, to be read only."""
    made = others.copy()
    if authorization is not None:
        made.add("Authorization", authorization)
    return CIMultiDictProxy(made)


def escaped(key: str) -> str:
    """Write a key so that it can be part of a header's name, as the server reads it."""
    data = key.encode("utf-8", "surrogatepass")
    return "".join(chr(one) if one in _LEGAL else f"%{one:02X}" for one in data)


def _sendable(value: str, name: str) -> str:
    if _FORBIDDEN.search(value):
        raise ConfigError(f"{name} must not hold line ends or other control characters")
    return value
