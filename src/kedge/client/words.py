"""What errors of the HTTP library say, in words that can be shown: theirs may hold secrets."""

import ssl

import aiohttp

from kedge.kube.foreign import cut


def words(exc: BaseException) -> str:
    """Say in a few words what went wrong with a connection."""
    if isinstance(exc, aiohttp.ClientResponseError):
        # Its text has the URL, and that of a proxy has a password.
        return cut(f"{exc.status} {exc.message}")
    if isinstance(exc, aiohttp.ClientConnectorError):
        # Its own text tells of objects in our memory.
        return words(exc.os_error)
    if isinstance(exc, ssl.SSLCertVerificationError):
        return cut(f"its certificate is not trusted: {exc.verify_message}")
    if isinstance(exc, ConnectionRefusedError):
        return "connection refused"  # asyncio has the address in its own text
    if isinstance(exc, OSError) and exc.strerror:
        return cut(exc.strerror)
    return cut(str(exc)) or type(exc).__name__
