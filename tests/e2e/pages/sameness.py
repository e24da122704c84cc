"""When what a page shows is what its reader sees: times, ages, ports and the like aside."""

import re
from collections.abc import Mapping

DAY, TIME = "2026-03-27", "12:00:00"
ANY = "..."
"""A line that stands for any lines."""
SAME: Mapping[str, str] = {
    r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d( \+0000 UTC)": rf"{DAY} {TIME}\1",
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z": f"{DAY}T{TIME}Z",
    r"-20\d{12}\b": f"-{DAY.replace('-', '')}{TIME.replace(':', '')}",
    r"\bin \d+\.\d s\b": "in 0.1 s",
    r"expires=\d+": "expires=1774613400",
    r"signature=[0-9a-f]{64}": "signature=5f1d…",
    r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b": "00000000-0000-0000-0000-000000000000",
    r'resourceVersion: "\d+"': 'resourceVersion: "1"',
    r"http://127\.0\.0\.1:\d+/": "http://127.0.0.1:8086/",
    r"https://127\.0\.0\.1:\d+": "https://127.0.0.1:6443",
    r"(?m)(?<=  )now$": "5s ago",
    r"(?m)(?<=\s)\d+[smhd]( ?\d+[smhd])?( ago)?$": r"5s\2",
    r"(?m)^\.+$": "",
    r"(?m) +$": "",
}
"""What is another each time, and what a page shows for it."""


def usual(text: str) -> str:
    """Write what is another each time in one way."""
    for pattern, shown in SAME.items():
        text = re.sub(pattern, shown, text)
    return text if not text or text.endswith("\n") else f"{text}\n"


def is_same(shown: str, seen: str, *, exact: bool = False) -> bool:
    """Say whether what is seen is what a page shows; exact where no clock runs."""
    plain = _exactly if exact else _roughly
    lines = (
        r"(?:.*\n)*" if line.strip() == ANY else re.escape(plain(f"{line}\n"))
        for line in shown.splitlines()
    )
    return re.fullmatch("".join(lines), plain(seen)) is not None


def _exactly(text: str) -> str:
    return text


def _roughly(text: str) -> str:
    """Let columns be of any width: a longer age moves those behind it."""
    return re.sub(r"(?<=\S) {2,}", "  ", usual(text))
