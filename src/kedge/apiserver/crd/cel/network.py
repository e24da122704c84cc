"""Functions on URLs, IP addresses and their ranges."""

import ipaddress
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar
from urllib.parse import parse_qsl

from kedge.apiserver.crd.cel.value import CelError
from kedge.apiserver.crd.text import uri
from kedge.kube.gotext import quote

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Range = ipaddress.IPv4Network | ipaddress.IPv6Network


@dataclass(frozen=True, slots=True)
class Url:
    """A URL."""

    type_name: ClassVar[str] = "kubernetes.URL"
    parts: uri.Uri


@dataclass(frozen=True, slots=True)
class Ip:
    """An IP address."""

    type_name: ClassVar[str] = "net.IP"
    address: Address

    def __str__(self) -> str:
        """Write it in canonical form."""
        return str(self.address)


@dataclass(frozen=True, slots=True)
class Cidr:
    """An IP address with the length of its prefix."""

    type_name: ClassVar[str] = "net.CIDR"
    address: Address
    length: int

    def __str__(self) -> str:
        """Write it in canonical form."""
        return f"{self.address}/{self.length}"

    @property
    def range(self) -> Range:
        """All addresses with the prefix."""
        return ipaddress.ip_network(f"{self.address}/{self.length}", strict=False)


def url(text: str) -> Url:
    """Read a URL."""
    found = uri.parse(text)
    if found is None:
        told = f"parse {quote(text)}: invalid URI for request"
        raise CelError(f"URL parse error during conversion from string: {told}")
    return Url(found)


_BAD_ESCAPE = re.compile("%(?![0-9A-Fa-f]{2})")


def _query(value: Url) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for part in value.parts.query.split("&"):
        if ";" in part or _BAD_ESCAPE.search(part):
            continue  # Go drops these
        for key, item in parse_qsl(part, keep_blank_values=True):
            found.setdefault(key, []).append(item)
    return found


def ip(value: Any) -> Ip:
    """Read an IP address, or give that of a range."""
    return Ip(value.address) if isinstance(value, Cidr) else Ip(_address(value))


def _address(text: str) -> Address:
    if "%" in text:
        raise CelError(f"IP address {quote(text)} with zone value is not allowed")
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        told = f"ParseAddr({quote(text)}): unable to parse IP"
        raise CelError(
            f"IP Address {quote(text)} parse error during conversion from string: {told}"
        ) from None
    if isinstance(found, ipaddress.IPv6Address) and found.ipv4_mapped is not None:
        raise CelError(f"IPv4-mapped IPv6 address {quote(text)} is not allowed")
    return found


def cidr(text: str) -> Cidr:
    """Read an IP address with the length of its prefix."""
    head, mark, tail = text.partition("/")
    if not mark:
        raise _no_range(text, "no '/'")
    if not tail.isascii() or not tail.isdigit() or (tail[0] == "0" and tail != "0"):
        raise _no_range(text, f"bad bits after slash: {quote(tail)}")
    address = _address(head)
    if int(tail) > address.max_prefixlen:
        raise _no_range(text, "prefix length out of range")
    return Cidr(address, int(tail))


def _no_range(text: str, why: str) -> CelError:
    told = "network address parse error during conversion from string: "
    return CelError(f"{told}{told}netip.ParsePrefix({quote(text)}): {why}")


def _succeeds(run: Callable[[str], Any]) -> Callable[[str], bool]:
    def test(text: str) -> bool:
        try:
            run(text)
        except CelError:
            return False
        return True

    return test


def _contains_ip(value: Cidr, other: Any) -> bool:
    address = other.address if isinstance(other, Ip) else _address(other)
    return address in value.range


def _contains_cidr(value: Cidr, other: Any) -> bool:
    inner = other if isinstance(other, Cidr) else cidr(other)
    if inner.address.version != value.address.version or inner.length < value.length:
        return False
    return inner.address in value.range


def _is_global(address: Address) -> bool:
    broadcast = address == ipaddress.ip_address("255.255.255.255")
    return not (
        broadcast
        or address.is_unspecified
        or address.is_loopback
        or address.is_multicast
        or address.is_link_local
    )


def _is_link_local_multicast(address: Address) -> bool:
    if address.version == 4:
        return address in ipaddress.ip_network("224.0.0.0/24")
    return address.packed[0] == 0xFF and address.packed[1] & 0x0F == 0x02


def _masked(value: Cidr) -> Cidr:
    return Cidr(value.range.network_address, value.length)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "url": url,
    "isURL": _succeeds(url),
    "getScheme": lambda value: value.parts.scheme,
    "getHost": lambda value: value.parts.host,
    "getHostname": lambda value: value.parts.hostname,
    "getPort": lambda value: value.parts.port,
    "getEscapedPath": lambda value: value.parts.escaped_path,
    "getQuery": _query,
    "ip": ip,
    "isIP": _succeeds(_address),
    "ip.isCanonical": lambda text: str(_address(text)) == text,
    "family": lambda value: value.address.version,
    "isUnspecified": lambda value: value.address.is_unspecified,
    "isLoopback": lambda value: value.address.is_loopback,
    "isLinkLocalMulticast": lambda value: _is_link_local_multicast(value.address),
    "isLinkLocalUnicast": lambda value: value.address.is_link_local,
    "isGlobalUnicast": lambda value: _is_global(value.address),
    "cidr": cidr,
    "isCIDR": _succeeds(cidr),
    "containsIP": _contains_ip,
    "containsCIDR": _contains_cidr,
    "masked": _masked,
    "prefixLength": lambda value: value.length,
}
