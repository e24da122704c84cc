"""What a client needs to know of its cluster: the address, and what to show at the door."""

import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True, repr=False)
class Login:
    """What goes with one request; the same object as long as nothing changed."""

    headers: Mapping[str, str]
    """Authorization and Impersonate-*; a multidict, as a user may be given several groups."""
    tls: ssl.SSLContext | None
    """None for http://; the same object as long as the certificates are the same."""
    certificate: bytes = b""
    """The client's certificate with its chain, in PEM; empty where none is shown."""

    def __repr__(self) -> str:
        """Name the headers; their values are secret."""
        names = ", ".join(sorted(set(self.headers)))
        return f"Login(headers=<{names}>, tls={'yes' if self.tls else 'no'})"


class Credentials(Protocol):
    """Who we are, to be asked anew for every request."""

    async def login(self) -> Login:
        """Give what to send; cheap when nothing changed. Raises ConfigError."""

    def refused(self, login: Login | None = None) -> bool:
        """Take note of a 401: forget what is cached; tell whether another try may help.

        With the login that was refused, a newer one that others have fetched meanwhile is kept.
        """


@dataclass(frozen=True, slots=True, repr=False)
class Access:
    """A cluster, and a user of it."""

    server: str
    """URL without user or trailing slash; it may have a path, which goes before all others."""
    credentials: Credentials
    namespace: str
    """Of the context, of the pod, or `default`."""
    server_name: str | None = None
    """The name to ask for and to check in the server's certificate, if it is not the host."""
    proxy: str | None = None
    """URL of an HTTP proxy; it may hold a user and a password."""
    disable_compression: bool = False
    """Whether answers are to come as they are: where there is bandwidth to spare."""

    def __repr__(self) -> str:
        """Leave out what is secret."""
        proxy = f", proxy={without_user(self.proxy)!r}" if self.proxy else ""
        name = f", server_name={self.server_name!r}" if self.server_name else ""
        return f"Access(server={self.server!r}, namespace={self.namespace!r}{name}{proxy})"


def without_user(url: str) -> str:
    """Take user and password out of a URL."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
