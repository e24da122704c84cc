"""Resource versions in requests."""

from kedge.kube.errors import BadRequest
from kedge.kube.gotext import quote

LIMIT = 2**64


def parse_revision(text: str) -> int:
    """Give the revision a resourceVersion names; empty and 0 both give 0."""
    if not text:
        return 0
    if not (text.isascii() and text.isdigit()):
        raise _bad(text, "invalid syntax")
    value = int(text)
    if value >= LIMIT:
        raise _bad(text, "value out of range")
    return value


def _bad(text: str, why: str) -> BadRequest:
    shown = quote(text)
    return BadRequest(
        f"invalid resource version: resourceVersion: Invalid value: {shown}: "
        f"strconv.ParseUint: parsing {shown}: {why}"
    )
