"""IP addresses as old fields take them: leading zeros and IPv4 inside IPv6 pass, with a warning."""

import re
from ipaddress import IPv4Address, IPv6Address

from kedge.apiserver.builtin.fields import Errors
from kedge.kube.gotext import quote

BAD_IP = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
DOTTED = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+")
LONGEST = 64
Address = IPv4Address | IPv6Address


def parse_ip(text: str) -> Address | None:
    """Read an address; None for what is none."""
    if len(text) > LONGEST or not text.isascii() or "%" in text:
        return None
    try:
        if DOTTED.fullmatch(text):
            return IPv4Address(_without_zeros(text))
        head, colon, tail = text.rpartition(":")
        if DOTTED.fullmatch(tail):
            tail = _without_zeros(tail)
        address = IPv6Address(f"{head}{colon}{tail}")
    except ValueError:
        return None
    return address.ipv4_mapped or address


def _without_zeros(text: str) -> str:
    return ".".join(str(int(part)) for part in text.split("."))


def check_ip(errors: Errors, path: str, text: str) -> None:
    """Check that a text is an address."""
    if parse_ip(text) is None:
        errors.invalid(path, text, BAD_IP)


def ip_warnings(path: str, text: str) -> list[str]:
    """Warn of an address that is not written in the way that all programs read alike."""
    address = parse_ip(text)
    if address is None:
        return []
    if isinstance(address, IPv4Address):
        if text == str(address):
            return []
        return [
            f"{path}: non-standard IP address {quote(text)} will be considered invalid in a "
            f'future Kubernetes release: use "{address}"'
        ]
    if text == str(address):
        return []
    return [
        f'{path}: IPv6 address {quote(text)} should be in RFC 5952 canonical format ("{address}")'
    ]
