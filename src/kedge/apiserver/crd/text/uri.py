"""URIs as Go's url.ParseRequestURI reads them: an absolute URI or an absolute path."""

import re
from dataclasses import dataclass
from urllib.parse import quote, unquote_to_bytes

_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*):(.*)", re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_PERCENT = re.compile(r"%(?![0-9a-fA-F]{2})")
_USER = re.compile(r"[A-Za-z0-9\-._:~!$&'()*+,;=%@]*")
_PORT = re.compile(r"(?::[0-9]*)?")
_HOST = re.compile(r"""(?:[A-Za-z0-9\-_.~!$&'()*+,;=:\[\]<>"]|[^\x00-\x7f]|%25|%[89a-fA-F].)*""")
_PATH_SAFE = "-_.~$&+,/:;=@!'()*[]"


@dataclass(frozen=True, slots=True)
class Uri:
    """The parts of a URI. `path` is unescaped, `raw_path` is as it was written."""

    scheme: str = ""
    opaque: str = ""
    user: str | None = None
    host: str = ""
    raw_path: str = ""
    query: str = ""

    @property
    def hostname(self) -> str:
        """The host without port and brackets."""
        if self.host.startswith("["):
            return self.host[1:].partition("]")[0]
        return self.host.rpartition(":")[0] if ":" in self.host else self.host

    @property
    def port(self) -> str:
        """The port, or an empty text."""
        rest = self.host.rpartition("]")[2] if self.host.startswith("[") else self.host
        return rest.rpartition(":")[2] if ":" in rest else ""

    @property
    def escaped_path(self) -> str:
        """The path with Go's escapes: as written where that is a valid escaping of it."""
        if all(char in _PATH_SAFE or char.isalnum() or char == "%" for char in self.raw_path):
            return self.raw_path
        return quote(unquote_to_bytes(self.raw_path), safe="-_.~$&+,/:;=@")


def parse(text: str) -> Uri | None:
    """Read a URI; None where Go reports an error."""
    if not text or _CONTROL.search(text) or text.startswith(":"):
        return None
    if text == "*":
        return Uri(raw_path="*")
    found = _SCHEME.fullmatch(text)
    scheme, rest = (found[1].lower(), found[2]) if found else ("", text)
    rest, _, query = rest.partition("?")
    if not rest.startswith("/"):
        return Uri(scheme, rest, query=query) if scheme else None
    user, host = None, ""
    if scheme and rest.startswith("//"):
        authority, slash, rest = rest[2:].partition("/")
        rest = slash + rest
        before, at, host = authority.rpartition("@")
        user = before if at else None
        if not _is_user(before) or not _is_host(host):
            return None
    if _PERCENT.search(rest):
        return None
    return Uri(scheme, "", user, host, rest, query)


def is_request_uri(text: str) -> bool:
    """Whether the text is an absolute URI or an absolute path."""
    return parse(text) is not None


def _is_user(text: str) -> bool:
    return _USER.fullmatch(text) is not None and _PERCENT.search(text) is None


def _is_host(text: str) -> bool:
    if text.startswith("["):
        inside, mark, port = text.rpartition("]")
        if not mark:
            return False
        address, zone, name = inside.partition("%25")
        if _PERCENT.search(name) or (zone and _PORT.fullmatch(port) is None):
            return False
        text = f"{address}]{port}"
    else:
        port = f":{text.rpartition(':')[2]}" if ":" in text else ""
    return _PORT.fullmatch(port) is not None and _HOST.fullmatch(text) is not None
