"""IP addresses as new fields take them: in the one form that all programs read alike."""

from ipaddress import IPv6Address

from kedge.apiserver.builtin.addresses import BAD_IP, parse_ip
from kedge.kube.gotext import quote


def ip_problems(text: str) -> list[str]:
    """Say what is wrong with an address."""
    address = parse_ip(text)
    if address is None:
        return [BAD_IP]
    try:
        mapped = IPv6Address(text).ipv4_mapped if ":" in text else None
    except ValueError:
        return ["must not have leading 0s"]
    if mapped is not None:
        return ["must not be an IPv4-mapped IPv6 address"]
    canonical = str(address)
    if text == canonical:
        return []
    if ":" not in text:
        return ["must not have leading 0s"]
    return [f"must be in canonical form ({quote(canonical)})"]
