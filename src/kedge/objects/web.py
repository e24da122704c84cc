"""How obstore speaks HTTP for us: how long it waits, how often it tries again, whom it trusts."""

import ipaddress
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final
from urllib.parse import SplitResult, urlsplit

from kedge.kube.foreign import cut
from kedge.objects.errors import PlaceError

if TYPE_CHECKING:
    from obstore.store import ClientConfig, RetryConfig

CONNECT: Final = timedelta(seconds=5)
SILENCE: Final = timedelta(seconds=60)
"""How long a store may say nothing; a part of 5 MiB has to be sent in that time."""
TOTAL: Final = timedelta(hours=6)
"""How long one request may take as a whole: it bounds nothing but what would never end."""
RETRIES: Final = 5
RETRY_FOR: Final = timedelta(seconds=60)
"""No further try after this time, so that a dead store is told of after two minutes at most."""


def retrying() -> "RetryConfig":
    """Say how often to try again; a refused connection fails after some seconds."""
    return {
        "max_retries": RETRIES,
        "retry_timeout": RETRY_FOR,
        "backoff": {
            "init_backoff": timedelta(milliseconds=200),
            "max_backoff": timedelta(seconds=5),
            "base": 2,
        },
    }


@dataclass(frozen=True)
class Trust:
    """Whose certificates are taken."""

    ca: bytes | None = None
    anybody: bool = False


def speaking(url: str, trust: Trust) -> "ClientConfig":
    """Say how to speak with a store at a URL; an empty one is that of a cloud, and has TLS."""
    options: ClientConfig = {
        "allow_http": url.startswith("http://"),
        "allow_invalid_certificates": trust.anybody,
        "connect_timeout": CONNECT,
        "read_timeout": SILENCE,
        "timeout": TOTAL,
        "user_agent": "kedge",
    }
    if trust.ca:
        options["root_certificate"] = trust.ca
    return options


def check_url(name: str, url: str) -> SplitResult | None:
    """Read the URL of a setting; None if it is not set. Raise PlaceError if it is no address."""
    if not url:
        return None
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as exc:
        raise PlaceError(f"config.{name} is no URL") from exc
    if parts.username is not None or parts.query or parts.fragment:
        # It may hold a secret, such as a SAS token, and is not shown.
        raise PlaceError(f"config.{name} must be an address only, with no user and no query")
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        raise PlaceError(f"config.{name} {cut(url)!r} must start with http:// or https://")
    return parts


def is_number(host: str) -> bool:
    """Tell whether a host is an IP address, or this machine, and so has no names below it."""
    if host == "localhost":
        return True
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
