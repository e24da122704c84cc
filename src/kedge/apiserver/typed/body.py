"""The bytes of a request as a JSON value, with what is needed to look at them again."""

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

import msgspec

from kedge.apiserver.typed.jsontext import parse
from kedge.kube.goerror import GoError
from kedge.kube.gonumbers import Literal, loose_number
from kedge.kube.refusals import unsupported_media_type
from kedge.kube.yamltext import read_yaml

JSON: Final = "application/json"
YAML: Final = "application/yaml"
PROTOBUF: Final = "application/vnd.kubernetes.protobuf"
READ: Final = (JSON, YAML, PROTOBUF)
SUMMARY: Final = 30
"""How many bytes of a body kube-apiserver quotes."""
_TOKEN: Final = r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
_MEDIA: Final = re.compile(
    rf"\s*(?P<type>{_TOKEN}/{_TOKEN})\s*(?:;\s*{_TOKEN}\s*=\s*(?:{_TOKEN}|\"(?:[^\"\\]|\\.)*\")\s*)*;?\s*"
)

_typed = msgspec.json.Decoder(float_hook=Literal).decode
_loose = msgspec.json.Decoder(float_hook=loose_number).decode


@lru_cache(maxsize=256)
def media_of(header: str) -> str:
    """Tell the media type of a body by its Content-Type; raises UnsupportedMediaType."""
    if not header:
        return JSON
    found = _MEDIA.fullmatch(header)
    media = found["type"].lower() if found else ""
    if media not in READ:
        raise unsupported_media_type(READ)
    return media


@dataclass(slots=True)
class Body:
    """A parsed body."""

    value: Any
    data: bytes
    """As it was sent."""
    json: bytes | None = None
    """The JSON text, if it was JSON: it tells doubled keys and how numbers were written."""
    strict: list[str] = field(default_factory=list)
    """What a strict reader of YAML complains about."""

    @property
    def is_plain(self) -> bool:
        """Whether objects are dicts; where Go's JSON is not Python's they are Pairs."""
        return self.json is None or isinstance(self.value, dict)

    @property
    def summary(self) -> str:
        """The beginning of the body, for messages."""
        return summary(self.data)


def read_body(data: bytes, media: str, typed: bool = True) -> Body:
    """Parse a body; raises GoError.

    Numbers keep their text for a `typed` kind; for others they become what Go makes of them.
    """
    if media == YAML:
        document = read_yaml(data)
        error = document.strict_error
        return Body(document.value, data, None, [error] if error else [])
    try:
        return Body(_typed(data) if typed else _loose(data), data, data)
    except (msgspec.DecodeError, RecursionError, ValueError, OverflowError):
        # Broken, or stranger than the decoder likes: Go's own rules decide.
        return Body(_parse(data), data, data)


def _parse(data: bytes) -> Any:
    try:
        return parse(data)
    except GoError as exc:
        raise GoError(f"couldn't get version/kind; json parse error: {exc.text}") from None


def summary(data: bytes) -> str:
    """Quote the beginning of a body as kube-apiserver does: as text if it looks like JSON."""
    if not data:
        return "<empty>"
    head = data[:SUMMARY]
    text = head.decode(errors="replace") if data[:1] == b"{" else head.hex()
    return f"{text} ..." if len(data) > SUMMARY else text
