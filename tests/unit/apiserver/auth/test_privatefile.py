"""Files with secrets are whole and private."""

import os
import stat
from pathlib import Path

import pytest

from kedge.apiserver.auth import privatefile


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_file_is_for_its_owner_alone_even_if_it_was_not_before(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "secret"
    privatefile.write(path, b"one")
    assert (path.read_bytes(), mode(path)) == (b"one", 0o600)
    path.chmod(0o644)
    privatefile.write(path, b"two")
    assert (path.read_bytes(), mode(path)) == (b"two", 0o600)
    assert os.listdir(path.parent) == ["secret"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    privatefile.write(link, b"new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_a_failed_write_leaves_the_former_file_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "secret"
    privatefile.write(path, b"old")

    def full(_: int) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space"):
        privatefile.write(path, b"new")
    assert os.listdir(tmp_path) == ["secret"]
    assert path.read_bytes() == b"old"


def test_a_folder_is_for_its_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    privatefile.folder(folder)
    folder.chmod(0o755)
    privatefile.folder(folder)
    assert mode(folder) == 0o700
    privatefile.settle(folder)
