"""A cluster and a user that are told outright."""

from pathlib import Path

from multidict import CIMultiDict

from kedge.aio.clock import Clock, SystemClock
from kedge.client.where import headers, tls
from kedge.client.where import proxy as proxies
from kedge.client.where import server as servers
from kedge.client.where.access import Access
from kedge.client.where.credentials import Authorization, Fixed, FromFile, Given, Standing
from kedge.client.where.errors import ConfigError
from kedge.client.where.files import Content, Reread
from kedge.client.where.identity import read_pair
from kedge.client.where.pod import from_file

Pem = bytes | str | Path
"""Certificates or a key: the text, or a file that has it and is read again when it changes."""


def explicit(  # noqa: PLR0913 - one argument for each thing that may be known
    server: str,
    *,
    token: str | None = None,
    token_file: Path | None = None,
    ca: Pem | None = None,
    certificate: Pem | None = None,
    key: Pem | None = None,
    insecure: bool = False,
    server_name: str | None = None,
    proxy: str | None = None,
    namespace: str = "default",
    clock: Clock | None = None,
) -> Access:
    """Use what is given, and nothing else; raises ConfigError if it does not fit together."""
    clock = clock or SystemClock()
    if insecure and ca is not None:
        raise ConfigError("insecure and ca exclude each other; leave out one")
    is_tls = insecure or ca is not None or certificate is not None
    found = servers.parse(server, "server", "https" if is_tls else "http")
    header = _header(token, token_file, found, clock)
    source = Given(header, _pair(certificate, key, clock) if found.is_secure else None)
    return Access(
        server=found.url,
        credentials=Standing(
            source, _roots(ca, insecure, clock) if found.is_secure else None, CIMultiDict()
        ),
        namespace=namespace,
        server_name=server_name,
        proxy=proxies.checked(proxy, "proxy") if proxy else None,
    )


def _header(
    token: str | None, file: Path | None, found: servers.Server, clock: Clock
) -> Authorization:
    if file is not None:
        source = Content("token_file", path=file)
        return FromFile(Reread([source], lambda data: from_file(data[0], source.name), clock))
    if token:
        return Fixed(headers.bearer(token, "token"))
    if found.username or found.password:
        return Fixed(headers.basic(found.username, found.password))
    return Fixed()


def _pair(certificate: Pem | None, key: Pem | None, clock: Clock) -> Reread[tls.Pair] | None:
    if certificate is None and key is None:
        return None
    if certificate is None or key is None:
        raise ConfigError("certificate and key go together; give both")
    return read_pair(_content("certificate", certificate), _content("key", key), clock)


def _roots(ca: Pem | None, insecure: bool, clock: Clock) -> Reread[tls.Roots]:
    if ca is None:
        return Reread([], lambda _: tls.Roots(insecure=insecure), clock)
    return Reread(
        [_content("ca", ca)], lambda data: tls.Roots(tls.authorities(data[0], "ca")), clock
    )


def _content(name: str, given: Pem) -> Content:
    if isinstance(given, Path):
        return Content(name, path=given)
    data = given.encode() if isinstance(given, str) else given
    if not data:
        raise ConfigError(f"{name} is empty; leave it out, or give PEM")
    return Content(name, data=data)
