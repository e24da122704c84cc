"""Tokens of an auth-provider, kept in the kubeconfig file that they came from."""

import contextlib
import os
import stat
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from kedge.client.where.edit import changed
from kedge.client.where.errors import ConfigError
from kedge.client.where.kubeconfig import parse, read_file


class KubeconfigTokens:
    """The `auth-provider.config` of one user of one file."""

    def __init__(self, path: Path, user: str) -> None:
        """Name the file and the user's entry."""
        # A link stays a link: what it points to is replaced.
        self._path = path
        self._user = user

    def load(self) -> Mapping[str, str]:
        """Give what the file says now. Raises ConfigError."""
        user = parse(self._read(), self._path).users.get(self._user)
        if user is None or user.auth_provider is None:
            raise ConfigError(f"{self._path}: the entry of the user is not there any more")
        return user.auth_provider.config

    def save(self, changes: Mapping[str, str]) -> None:
        """Write new values in one step, and leave all else as it is. Raises ConfigError."""
        try:
            target = self._path.resolve()
            with _locked(target):
                self.load()
                text = changed(self._read(), self._user, changes, str(self._path))
                _replace(target, text)
        except OSError as exc:
            raise ConfigError(f"cannot write kubeconfig {self._path}: {exc.strerror}") from None

    def _read(self) -> bytes:
        text = read_file(self._path, must_exist=True)
        assert text is not None
        return text


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the lock that kubectl takes, too: a file beside the file."""
    lock = path.with_name(path.name + ".lock")
    os.close(os.open(lock, os.O_CREAT | os.O_EXCL, 0o600))
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)


def _replace(target: Path, text: bytes) -> None:
    """Put a file in place in one step; a crash leaves the old one or the new."""
    old = target.stat()
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            # Only root may give files away; for others the file stays theirs.
            with contextlib.suppress(PermissionError):
                os.fchown(descriptor, old.st_uid, old.st_gid)
            os.fchmod(descriptor, stat.S_IMODE(old.st_mode))
            file.write(text)
            file.flush()
            os.fsync(descriptor)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
