"""Asks a server for names, soon or not at all: a person has pressed TAB and waits.

It does without our client, whose HTTP library takes longer to load than the answer takes.
"""

from __future__ import annotations

from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlencode, urlsplit

if TYPE_CHECKING:
    from kedge.client.where import Access
    from kedge.client.where.access import Login

SECONDS: Final = 2.0
"""How long one step may take: to connect, or to answer."""
MOST: Final = 500
"""Names that are asked for: nobody reads more."""
SLIM: Final = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"
OK: Final = 200
LOGIN_SECONDS: Final = 2.0


def names(access: Access, path: str, incomplete: str) -> list[str]:
    """Give the names of what is under a path that begin like this; none where that fails."""
    found = [one for one in _listed(access, path) if one.startswith(incomplete)]
    return sorted(found)


def _listed(access: Access, path: str) -> list[str]:
    import json

    try:
        body = _got(access, _login(access), path)
        items = json.loads(body).get("items") if body else ()
        return [str(one["metadata"]["name"]) for one in items or ()]
    except (OSError, HTTPException, ValueError, LookupError, TypeError, AttributeError):
        return []


def _login(access: Access) -> Login:
    """Ask who we are; a plugin of the kubeconfig that takes long is not waited for."""
    import asyncio

    from kedge.client.where import ConfigError

    async def soon() -> Login:
        async with asyncio.timeout(LOGIN_SECONDS):
            return await access.credentials.login()

    try:
        return asyncio.run(soon())
    except ConfigError as exc:
        raise ValueError(str(exc)) from exc


def _got(access: Access, login: Login, path: str) -> bytes:
    connection = _connection(access, login)
    server = urlsplit(access.server)
    query = urlencode({"limit": MOST})
    target = f"{quote(server.path.rstrip('/'))}{path}?{query}"
    try:
        connection.putrequest("GET", target)
        pairs: Any = login.headers.items()
        for name, value in (("Accept", SLIM), *pairs):
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        return answer.read() if answer.status == OK else b""
    finally:
        connection.close()


def _connection(access: Access, login: Login) -> HTTPConnection:
    """Give a connection; one through a proxy is not made here."""
    server = urlsplit(access.server)
    if access.proxy or not server.hostname:
        raise ValueError("a proxy is not asked for names")
    if login.tls is None:
        return HTTPConnection(server.hostname, server.port, timeout=SECONDS)
    made = HTTPSConnection(server.hostname, server.port, timeout=SECONDS, context=login.tls)
    if access.server_name:
        # The name to ask for is another one than that of the host: connect to the one by hand.
        import socket

        plain = socket.create_connection((server.hostname, server.port or 443), SECONDS)
        made.sock = login.tls.wrap_socket(plain, server_hostname=access.server_name)
    return made
