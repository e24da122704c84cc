"""Resource versions in requests."""

from kedge.kube.errors import BadRequest, UnknownError
from kedge.kube.gotext import quote

LIMIT = 2**64


def listed_revision(text: str) -> int:
    """Give the revision that a list asks for; empty and 0 both give 0. Raises BadRequest."""
    why = _fault(text)
    if why:
        raise BadRequest(f"invalid resource version: {why}")
    return int(text or 0)


def parse_revision(text: str) -> int:
    """Give the revision that a get or watch asks for; a bad one is a plain error of Go."""
    why = _fault(text)
    if why:
        raise UnknownError(why, code=500)
    return int(text or 0)


def _fault(text: str) -> str:
    if not text:
        return ""
    shown = quote(text)
    digits = text.isascii() and text.isdigit()
    if digits and int(text) < LIMIT:
        return ""
    return f"resourceVersion: Invalid value: {shown}: strconv.ParseUint: parsing {shown}: " + (
        "value out of range" if digits else "invalid syntax"
    )
