"""Ranges of IP addresses as old fields take them: odd ways to write one pass, with a warning."""

import re
from ipaddress import IPv4Address, IPv6Address
from typing import NamedTuple

from kedge.apiserver.builtin.addresses import Address, parse_ip
from kedge.apiserver.builtin.fields import Errors
from kedge.kube.gotext import quote

BAD_CIDR = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"
DIGITS = re.compile("[0-9]{1,7}", re.ASCII)
MAPPED = 0xFFFF << 32
"""Where IPv6 holds the addresses of IPv4."""
MAPPED_BITS = 96


class Cidr(NamedTuple):
    """A range: an address, how many of its bits count, and whether it is IPv4 within IPv6."""

    address: Address
    bits: int
    mapped: bool

    @property
    def width(self) -> int:
        """Give the number of bits of an address."""
        return 32 if isinstance(self.address, IPv4Address) and not self.mapped else 128

    @property
    def network(self) -> str:
        """Write the range with no bit set beyond the prefix."""
        masked = self._number() >> (self.width - self.bits) << (self.width - self.bits)
        if self.width == 32:
            return f"{IPv4Address(masked)}/{self.bits}"
        if masked & ~0xFFFFFFFF == MAPPED and self.bits >= MAPPED_BITS:
            return f"{IPv4Address(masked & 0xFFFFFFFF)}/{self.bits - MAPPED_BITS}"
        return f"{IPv6Address(masked)}/{self.bits}"

    @property
    def has_rest(self) -> bool:
        """Tell whether a bit is set beyond the prefix."""
        return bool(self._number() & ((1 << (self.width - self.bits)) - 1))

    def _number(self) -> int:
        return int(self.address) | MAPPED if self.mapped else int(self.address)


def parse_cidr(text: str) -> Cidr | None:
    """Read a range; None for what is none."""
    head, _, tail = text.partition("/")
    address = parse_ip(head)
    if address is None or not DIGITS.fullmatch(tail):
        return None
    cidr = Cidr(address, int(tail), isinstance(address, IPv4Address) and ":" in head)
    return cidr if cidr.bits <= cidr.width else None


def check_cidr(errors: Errors, path: str, text: str) -> None:
    """Check that a text is a range."""
    if parse_cidr(text) is None:
        errors.invalid(path, text, BAD_CIDR)


def check_strict_cidr(errors: Errors, path: str, text: str) -> None:
    """Check that a text is a range, written as it should be."""
    cidr = parse_cidr(text)
    if cidr is None:
        errors.invalid(path, text, BAD_CIDR)
    elif _has_zeros(text):
        errors.invalid(path, text, "must not have leading 0s in IP or prefix length")
    elif cidr.mapped:
        errors.invalid(path, text, "must not have an IPv4-mapped IPv6 address")
    elif cidr.has_rest:
        errors.invalid(path, text, "must not have bits set beyond the prefix length")
    elif text != cidr.network:
        errors.invalid(path, text, f"must be in canonical form ({quote(cidr.network)})")


def _has_zeros(text: str) -> bool:
    """Tell whether a range has leading zeros where few programs take them."""
    head, _, tail = text.partition("/")
    if len(tail) > 1 and tail.startswith("0"):
        return True
    try:
        IPv6Address(head) if ":" in head else IPv4Address(head)
    except ValueError:
        return True
    return False


def cidr_warnings(path: str, text: str) -> list[str]:
    """Warn of a range that is not written in the way that all programs read alike."""
    cidr = parse_cidr(text)
    if cidr is None:
        return []
    found, network = [], quote(cidr.network)
    if cidr.has_rest:
        single = quote(f"{cidr.address}/{cidr.width}")
        found.append(
            f"{path}: CIDR value {quote(text)} is ambiguous in this context "
            f"(should be {network} or {single}?)"
        )
    if cidr.mapped or _has_zeros(text):
        found.append(
            f"{path}: non-standard CIDR value {quote(text)} will be considered invalid in a "
            f"future Kubernetes release: use {network}"
        )
    canonical = f"{cidr.address}/{cidr.bits}"
    if not found and ":" in text and text != canonical:
        found.append(
            f"{path}: IPv6 CIDR value {quote(text)} should be in RFC 5952 canonical format "
            f"({quote(canonical)})"
        )
    return found
