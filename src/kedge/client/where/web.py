"""Two requests of HTTP, as an identity provider needs them.

Few kubeconfigs name one: the HTTP library is imported when there is a request.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

from kedge.client.where import proxy, tls
from kedge.client.where.errors import LoginFailed, shown
from kedge.client.where.files import Reread

SECONDS: Final = 30.0
"""How long a provider may take to answer."""
LARGEST: Final = 1024 * 1024
"""Bytes of an answer."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server said."""

    status: int
    body: bytes = field(repr=False)


class Fetch(Protocol):
    """Speaks HTTP."""

    async def get(self, url: str) -> Answer:
        """Ask for a document. Raises LoginFailed if there is no answer."""

    async def post(self, url: str, form: Mapping[str, str], authorization: str | None) -> Answer:
        """Send a form. Raises LoginFailed if there is no answer."""


class Web:
    """HTTP over a connection that is made for each request: there are few."""

    def __init__(self, roots: Reread[tls.Roots], environ: Mapping[str, str]) -> None:
        """Trust these authorities; go through the proxy of the environment."""
        self._roots = roots
        self._environ = environ

    async def get(self, url: str) -> Answer:
        """Ask for a document."""
        return await self._send("GET", url)

    async def post(self, url: str, form: Mapping[str, str], authorization: str | None) -> Answer:
        """Send a form; a redirection is not followed, as the form is secret."""
        sent = {} if authorization is None else {"Authorization": authorization}
        return await self._send("POST", url, data=dict(form), headers=sent, allow_redirects=False)

    async def _send(self, method: str, url: str, **options: Any) -> Answer:
        import aiohttp

        secure = urlsplit(url).scheme == "https"
        context = tls.context(self._roots.value(), None) if secure else True
        through = proxy.from_environment(url, self._environ)
        timeout = aiohttp.ClientTimeout(total=SECONDS)
        problem = ""
        try:
            async with (
                aiohttp.ClientSession(timeout=timeout) as session,
                session.request(method, url, ssl=context, proxy=through, **options) as response,
            ):
                if secure and response.url.scheme != "https":
                    problem = "it leads on to a server without TLS"
                else:
                    return Answer(response.status, await response.content.read(LARGEST))
        except (aiohttp.ClientError, OSError, ValueError) as exc:
            problem = _told(exc)
        # Raised out here: the client's error may quote the request.
        host = shown(urlsplit(url).netloc.rpartition("@")[2])
        raise LoginFailed(f"no answer from {host}: {problem}")


def _told(exc: Exception) -> str:
    import aiohttp

    if isinstance(exc, TimeoutError):
        return f"timeout after {SECONDS:g} s"
    if isinstance(exc, aiohttp.ClientConnectorCertificateError):
        return "its certificate is not trusted"
    if isinstance(exc, OSError) and exc.strerror:
        return shown(exc.strerror)
    return type(exc).__name__
