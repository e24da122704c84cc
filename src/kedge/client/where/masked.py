"""Text of other programs without what is, or looks like, a secret.

What is let through are plain words, numbers, times, paths and names of hosts.
"""

import re
from collections.abc import Iterable
from typing import Final

MASK: Final = "***"
LONGEST: Final = 4096
"""Characters that are looked at; a message shows far fewer."""
_SHORTEST: Final = 4
"""Characters of a secret, known or guessed; shorter ones would tear holes into every word."""
_PATTERNS: Final = (
    # A block of PEM, to its end or to that of the text.
    re.compile(r"-----BEGIN [A-Z ]+-----.*?(?:-----END [A-Z ]+-----|\Z)", re.DOTALL),
    # A user and a password in a URL.
    re.compile(r"(?<=://)[^/\s@]+(?=@)"),
    re.compile(r"(?i)(?<=bearer )\s*\S+|(?<=basic )\s*\S+"),
    # What stands after a word for a secret and a sign.
    re.compile(
        r"(?i)(?P<kept>(?:pass(?:word|wd|phrase)?|secret|token|api-?key|access-?key|key|credentials?"
        r"|authorization|assertion|cookie)[\w-]*[\"']?\s*[:=]+\s*)(?P<hidden>\"[^\"]*\"?|'[^']*'?|\S+)"
    ),
    # The same with a blank between; a plain word there is more likely to be English.
    re.compile(
        r"(?i:(?P<kept>(?:password|secret|token|key)s?\s+))(?P<hidden>(?=\S*[^a-z\s,.;:()])\S+)"
    ),
)
_WORD: Final = re.compile(r"\S+")
_EDGES: Final = "\"'`()[]{}<>,.:;!?"
_TELLING: Final = re.compile(r"(?i)secret|token|passw|apikey")
_COMPOUND: Final = re.compile(r"[-_\d]")
_PLAIN: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"[^\W\d_]{1,23}(?:['\u2019/_:=.-]+[^\W\d_]{1,23})*",  # words
        r"(?:[A-Z][a-z]{2,23})+",  # NamesOfErrors
        r"[-+\d.,:/%TZ]+",  # numbers and times
        r"(?:https?://)?(?:[a-z0-9-]{1,19}\.)+[a-z]{2,19}(?::\d+)?(?:/[a-z/._-]*)?",  # hosts
        r"(?:[~.]{0,2}/[\w.+@-]{1,30})+/?",  # paths
    )
)


def masked(text: str, secrets: Iterable[str]) -> str:
    """Hide these secrets, and everything that looks like one."""
    if len(text) > LONGEST:
        # The last word may be the beginning of a secret.
        text = " ".join(text[:LONGEST].rsplit(None, 1)[:-1])
    for secret in sorted(set(secrets), key=len, reverse=True):
        if len(secret) >= _SHORTEST:
            text = text.replace(secret, MASK)
    for pattern in _PATTERNS:
        text = pattern.sub(_hide, text)
    return _WORD.sub(lambda word: word[0] if _is_plain(word[0]) else MASK, text)


def _hide(found: re.Match[str]) -> str:
    return (found.groupdict().get("kept") or "") + MASK


def _is_plain(word: str) -> bool:
    core = word.strip(_EDGES)
    if len(core) <= _SHORTEST or MASK in core:
        return True
    if _TELLING.search(core) and _COMPOUND.search(core):
        return False
    return any(pattern.fullmatch(core) for pattern in _PLAIN)
