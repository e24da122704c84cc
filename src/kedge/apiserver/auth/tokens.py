"""Bearer tokens that are just known: those of a file, and one for the administrator."""

import csv
import io
import secrets
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from kedge.apiserver.auth import privatefile
from kedge.apiserver.auth.users import ADMIN, MASTERS, User, authenticated

ADMIN_FILE: Final = "admin.token"
COLUMNS: Final = 3


class TokenFileError(Exception):
    """A file of tokens can not be read."""


def read_tokens(lines: Iterable[str], origin: str) -> dict[str, User]:
    """Read records `token,user,uid,"group1,group2"`; the groups may be left out."""
    tokens = {}
    try:
        records = [record for record in csv.reader(lines, strict=True) if record]
    except csv.Error as exc:
        raise TokenFileError(f"token file '{origin}': {exc}") from exc
    for record in records:
        if len(record) < COLUMNS:
            raise TokenFileError(
                f"token file '{origin}' must have at least 3 columns (token, user name, user uid), "
                f"found {len(record)}"
            )
        token, name, uid, *rest = record
        if token:
            groups = tuple(rest[0].split(",")) if rest else ()
            tokens[token] = authenticated(User(name, uid, groups))
    return tokens


def load_tokens(path: Path) -> dict[str, User]:
    """Read a file of tokens."""
    try:
        text = path.read_text()
    except (OSError, UnicodeDecodeError) as exc:
        raise TokenFileError(f"token file '{path}': {exc}") from exc
    return read_tokens(io.StringIO(text, newline=""), str(path))


def admin_token(folder: Path) -> str:
    """Give the administrator's token, made on first use and kept in a file."""
    path = folder / ADMIN_FILE
    try:
        token = path.read_text().strip()
    except FileNotFoundError:
        token = ""
    if not token:
        token = secrets.token_urlsafe(32)
        privatefile.write(path, f"{token}\n".encode())
    return token


def admin() -> User:
    """Give the user whom the administrator's token names."""
    return authenticated(User(ADMIN, groups=(MASTERS,)))
