"""Texts of flags that name something elsewhere: images and URLs. Pure."""

import re
from typing import Final

_PART: Final = r"[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*"
_IMAGE: Final = re.compile(
    rf"(?:(?:\[[0-9a-fA-F:]+\]|[A-Za-z0-9.-]+)(?::[0-9]+)?/)?{_PART}(?:/{_PART})*"
    r"(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@[a-z0-9+._-]+:[0-9a-f]{32,})?"
)
_LONGEST_IMAGE: Final = 1024
_GOOD_IMAGE: Final = "REGISTRY/NAME:TAG or REGISTRY/NAME@sha256:DIGEST, the name in lower case"
_URL: Final = re.compile(r"https?://[^\s/?#]+(?:/[^\s?#]*)?")


def image_problem(flag: str, text: str) -> str:
    """Say why a flag names no image; empty: it does."""
    if len(text) <= _LONGEST_IMAGE and _IMAGE.fullmatch(text):
        return ""
    return f"{flag} {text!r} is no image; write it as {_GOOD_IMAGE}"


def url_problem(flag: str, text: str) -> str:
    """Say why a flag is no URL under which files can lie; empty: it is one."""
    if _URL.fullmatch(text):
        return ""
    return f"{flag} {text!r} is no URL; write it as https://HOST:PORT"
