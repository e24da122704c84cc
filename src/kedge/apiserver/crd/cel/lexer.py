"""From text to tokens."""

import re
from dataclasses import dataclass

from kedge.apiserver.crd.cel.source import Issues

_ESCAPE = (
    r"\\(?:[abfnrtv\"'\\?`]|[0-3][0-7][0-7]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})"
)
_TEXT = (
    r"[rR]\"\"\"(?:.|\n)*?\"\"\"|[rR]'''(?:.|\n)*?'''"
    r"|[rR]\"[^\"\n\r]*\"|[rR]'[^'\n\r]*'"
    rf"|\"\"\"(?:{_ESCAPE}|[^\\])*?\"\"\"|'''(?:{_ESCAPE}|[^\\])*?'''"
    rf"|\"(?:{_ESCAPE}|[^\\\"\n\r])*\"|'(?:{_ESCAPE}|[^\\'\n\r])*'"
)
_TOKEN = re.compile(
    rf"""
    (?P<space>[\t \r\n\f]+|//[^\n]*)
  | (?P<BYTES>[bB](?:{_TEXT}))
  | (?P<STRING>{_TEXT})
  | (?P<NUM_FLOAT>[0-9]*\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+)
  | (?P<NUM_UINT>(?:0x[0-9a-fA-F]+|[0-9]+)[uU])
  | (?P<NUM_INT>0x[0-9a-fA-F]+|[0-9]+)
  | (?P<IDENTIFIER>[A-Za-z_][A-Za-z0-9_]*)
  | (?P<ESC_IDENTIFIER>`[A-Za-z0-9_.\-/\x20]+`)
  | (?P<op>==|!=|<=|>=|&&|\|\||[<>\[\]{{}}().,\-!?:+*/%])
    """,
    re.VERBOSE,
)
_WORDS = {"in": "in", "true": "true", "false": "false", "null": "null"}


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of text: what it is, how it is written, and where."""

    kind: str
    text: str
    at: int


def tokens_of(text: str, issues: Issues) -> list[Token]:
    """Split a text; what is no token is noted and left out. An <EOF> comes last."""
    found = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            wrong = _unreadable(text, at)
            issues.add(at, f"Syntax error: token recognition error at: '{wrong}'")
            at += len(wrong)
            continue
        kind, word = match.lastgroup or "", match[0]
        if kind == "op":
            kind = word
        elif kind == "IDENTIFIER":
            kind = _WORDS.get(word, kind)
        if kind != "space":
            found.append(Token(kind, word, at))
        at = match.end()
    return [*found, Token("<EOF>", "<EOF>", len(text))]


def _unreadable(text: str, at: int) -> str:
    """Give what cel-go's lexer passes over: an open string goes to the end of its line."""
    if text[at] in "\"'":
        end = re.compile(r"[\n\r]|\Z").search(text, at)
        return text[at : end.end() if end else len(text)] or text[at]
    following = text[at : at + 2]
    return following if following in ("&", "|", "=") or text[at] in "&|=" else text[at]
