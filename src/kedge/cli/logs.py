"""Log records as lines: text for people, or JSON for machines; one line each, whatever is in it."""

import json
import logging
import re
import sys
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final, TextIO

from kedge.runtime.context import WorkFilter

TEXT: Final = "text"
JSON: Final = "json"
MASK: Final = "***"
LEVELS: Final = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
}
_OWN: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
"""Attributes that every record has; all others are facts of ours."""
_HEAD: Final = frozenset({"ts", "level", "logger", "msg"})
_SECRET_KEY: Final = re.compile(
    r"token|passw|secret|credential|authorization|cookie|private.?key|client.?key|access.?key", re.I
)
"""Facts that are never written, whatever they are."""
_SECRET_TEXT: Final = re.compile(
    r"(?P<scheme>\b(?:bearer|basic)\s+)[\w.~+/=-]{8,}"
    r"|\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"
    r"|(?P<before>://[^\s/:@]*:)[^\s/@]+(?=@)",
    re.I | re.S,
)
"""What looks like a login in any text: a header, a JWT, a key, a URL with a password."""
_PLAIN: Final = re.compile(r"[^\s\"'=\\{}\[\]]+")


def configure(form: str = TEXT, level: str = "info", stream: TextIO | None = None) -> None:
    """Write all records of a level and above to a stream, stderr if none is given.

    Raises ValueError for a form or level that there is not. What was configured before is gone.
    """
    formatters: dict[str, type[logging.Formatter]] = {TEXT: TextFormatter, JSON: JsonFormatter}
    if form not in formatters:
        raise ValueError(f"the log format must be one of {', '.join(formatters)}, and is {form!r}")
    if level not in LEVELS:
        raise ValueError(f"the log level must be one of {', '.join(LEVELS)}, and is {level!r}")
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(formatters[form]())
    handler.addFilter(WorkFilter())
    root = logging.getLogger()
    for other in list(root.handlers):
        root.removeHandler(other)
    root.addHandler(handler)
    root.setLevel(LEVELS[level])
    logging.captureWarnings(True)


class JsonFormatter(logging.Formatter):
    """Writes a record as one JSON object, in ASCII."""

    def format(self, record: logging.LogRecord) -> str:
        """Give the line."""
        line = {
            "ts": _time(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "msg": masked(record.getMessage()),
            **dict(facts_of(record)),
        }
        return json.dumps(line, default=_told)


class TextFormatter(logging.Formatter):
    """Writes a record as time, level, logger, message and `key=value` pairs."""

    def format(self, record: logging.LogRecord) -> str:
        """Give the line."""
        head = f"{_time(record)} {record.levelname:<7} {record.name} "
        pairs = (f" {printable(key)}={_value(value)}" for key, value in facts_of(record))
        return head + printable(masked(record.getMessage())) + "".join(pairs)


def facts_of(record: logging.LogRecord) -> Iterator[tuple[str, Any]]:
    """Give what a record tells beyond its message, with secrets masked, and its exception last."""
    for key, value in vars(record).items():
        if key not in _OWN:
            yield (f"{key}_" if key in _HEAD else key), _safe(key, value)
    if record.exc_info and record.exc_info[0] is not None:
        text = logging.Formatter().formatException(record.exc_info)
        yield "exception", masked(text)
    elif record.exc_text:
        yield "exception", masked(record.exc_text)
    if record.stack_info:
        yield "stack", masked(record.stack_info)


def masked(text: str) -> str:
    """Take out what looks like a login."""
    return _SECRET_TEXT.sub(_mask, text)


def _mask(found: re.Match[str]) -> str:
    return (found["scheme"] or found["before"] or "") + MASK


def printable(text: str) -> str:
    """Escape all that would break a line, move the cursor, or not show."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _escaped(char) for char in text)


def _escaped(char: str) -> str:
    named = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(char)
    if named:
        return named
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _safe(key: str, value: Any) -> Any:
    """Mask a fact by its name, and the texts in it by what they look like."""
    if _SECRET_KEY.search(key):
        return MASK
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, Mapping):
        return {str(inner): _safe(str(inner), one) for inner, one in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_safe("", one) for one in value]
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        # JSON has no words for the others.
        return value if value - value == 0 else str(value)
    return masked(_told(value))


def _told(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _value(value: Any) -> str:
    if not isinstance(value, str):
        return printable(json.dumps(value, ensure_ascii=False, default=_told))
    if _PLAIN.fullmatch(value) and value.isprintable():
        return value
    quoted = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{printable(quoted)}"'


def _time(record: logging.LogRecord) -> str:
    when = datetime.fromtimestamp(record.created, UTC)
    return when.isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"
