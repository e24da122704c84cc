"""The address of a server, from what people write as one."""

from dataclasses import dataclass, field
from urllib.parse import SplitResult, unquote, urlsplit

from kedge.client.where.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Server:
    """A server's URL, and the user that was written into it."""

    url: str
    is_secure: bool
    username: str = field(default="", repr=False)
    password: str = field(default="", repr=False)


def parse(text: str, name: str, scheme: str = "http") -> Server:
    """Read a URL or host:port; raises ConfigError, which names the field and hides the text."""
    if not text:
        raise ConfigError(f"{name} must be given: the URL of the server, https://host:port")
    parts = _split(text)
    if parts is None or not parts.scheme or not parts.netloc:
        parts = _split(f"{scheme}://{text}")
        if parts is not None and parts.path not in {"", "/"}:
            parts = None
    if parts is None or parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ConfigError(f"{name} must be a URL: https://host:port or http://host:port")
    # Go leaves out query and fragment, and so do we: they cannot stand before a path.
    bare = parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="")
    return Server(
        bare.geturl().rstrip("/"),
        parts.scheme == "https",
        unquote(parts.username or ""),
        unquote(parts.password or ""),
    )


def _split(text: str) -> SplitResult | None:
    if any(one.isspace() or not one.isprintable() for one in text):
        return None
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        return None
    return parts
