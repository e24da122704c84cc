"""Which HTTP proxy stands before a server, as Go's programs read it from the environment."""

import ipaddress
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import SplitResult, urlsplit

from kedge.client.where.errors import ConfigError

_SCHEMES: Final = {"http", "https"}
_PORTS: Final = {"http": "80", "https": "443"}
Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def checked(url: str, name: str) -> str:
    """Check a proxy's URL; raises ConfigError, which names the field and hides the URL."""
    parts = _split(url)
    if parts is not None and parts.scheme in _SCHEMES and parts.hostname:
        return url
    scheme = parts.scheme if parts is not None else ""
    if scheme.startswith("socks"):
        raise ConfigError(f"{name}: {scheme} proxies are not supported; use http or https")
    raise ConfigError(f"{name} must be the URL of a proxy, http://host:port or https://host:port")


def from_environment(server: str, environ: Mapping[str, str]) -> str | None:
    """Give the proxy for a server, if the environment says so."""
    parts = urlsplit(server)
    name, value = _variable(parts.scheme, environ)
    if not value or not _is_proxied(parts, _any(environ, "NO_PROXY")[1]):
        return None
    if parts.scheme == "http" and environ.get("REQUEST_METHOD"):
        # A header of a CGI request called Proxy would arrive as this variable.
        raise ConfigError(f"{name} is not used in a CGI program; unset it")
    given = _split(value)
    if given is None or not given.scheme or not given.netloc:
        value = f"http://{value}"
    return checked(value, name)


def _variable(scheme: str, environ: Mapping[str, str]) -> tuple[str, str]:
    return _any(environ, "HTTPS_PROXY" if scheme == "https" else "HTTP_PROXY")


def _any(environ: Mapping[str, str], name: str) -> tuple[str, str]:
    for one in (name, name.lower()):
        if environ.get(one):
            return one, environ[one]
    return name, ""


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        _ = parts.port, parts.hostname
    except ValueError:
        return None
    return parts


def _is_proxied(server: SplitResult, exceptions: str) -> bool:
    host = (server.hostname or "").lower()
    address = _address(host)
    if host == "localhost" or (address is not None and _is_loopback(address)):
        return False
    port = str(server.port or _PORTS.get(server.scheme, ""))
    return not any(rule.covers(_ascii(host), port, address) for rule in _rules(exceptions))


def _is_loopback(address: Address) -> bool:
    mapped = getattr(address, "ipv4_mapped", None)
    return address.is_loopback or (mapped is not None and mapped.is_loopback)


@dataclass(frozen=True, slots=True)
class _Rule:
    """One entry of NO_PROXY."""

    everything: bool = False
    network: ipaddress.IPv4Network | ipaddress.IPv6Network | None = None
    address: Address | None = None
    suffix: str = ""
    """Of a name, with a dot at the start."""
    itself: bool = False
    """Whether the name without its first dot counts, too."""
    port: str = ""

    def covers(self, host: str, port: str, address: Address | None) -> bool:
        if self.everything:
            return True
        if address is not None:
            return self._covers_address(address, port)
        if not self.suffix or self.port not in {"", port}:
            return False
        return host.endswith(self.suffix) or (self.itself and host == self.suffix[1:])

    def _covers_address(self, address: Address, port: str) -> bool:
        if self.network is not None:
            return address in self.network
        return address == self.address and self.port in {"", port}


def _rules(text: str) -> Iterator[_Rule]:
    for entry in text.lower().split(","):
        entry = entry.strip()
        if entry == "*":
            yield _Rule(everything=True)
        elif entry:
            rule = _network(entry) or _host(entry)
            if rule is not None:
                yield rule


def _network(entry: str) -> _Rule | None:
    if "/" not in entry:
        return None
    try:
        return _Rule(network=ipaddress.ip_network(entry, strict=False))
    except ValueError:
        return None


def _host(entry: str) -> _Rule | None:
    host, port = _host_and_port(entry)
    address = _address(host)
    if address is not None:
        return _Rule(address=address, port=port)
    if not host:
        return None
    if host.startswith("*."):
        host = host[1:]
    itself = not host.startswith(".")
    return _Rule(suffix=_ascii(f".{host}" if itself else host), itself=itself, port=port)


def _host_and_port(entry: str) -> tuple[str, str]:
    if entry.startswith("["):
        host, closed, rest = entry[1:].partition("]")
        return (host, rest[1:]) if closed and rest.startswith(":") else (entry, "")
    host, colon, port = entry.rpartition(":")
    # More than one colon without brackets is an address of version 6.
    return (host, port) if colon and ":" not in host else (entry, "")


def _address(host: str) -> Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _ascii(host: str) -> str:
    if host.isascii():
        return host
    try:
        dot = "." if host.startswith(".") else ""
        return dot + host.removeprefix(".").encode("idna").decode("ascii")
    except UnicodeError:
        return host
