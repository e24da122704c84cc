"""Programs of others that are built from Go modules: where they are kept."""

from pathlib import Path

from tools.goprogram import GoProgram
from tools.velero.build import PROGRAMS, cache_folder

SAW = GoProgram("saw", "1.2.3", Path("saw"), "example.com/saw", "example.com/saw v1.2.3")
BLADE = GoProgram("blade", "9", Path("blade"), "example.com/b", "example.com/b v9", beside=SAW)


def test_a_program_is_in_the_folder_of_its_release(tmp_path: Path) -> None:
    environ = {"XDG_CACHE_HOME": str(tmp_path)}
    assert SAW.path(environ) == tmp_path / "kedge" / "saw" / "1.2.3" / "saw"


def test_what_belongs_to_another_is_beside_it(tmp_path: Path) -> None:
    environ = {"XDG_CACHE_HOME": str(tmp_path)}
    assert BLADE.path(environ) == tmp_path / "kedge" / "saw" / "1.2.3" / "blade"


def test_a_program_that_is_not_there_is_not_built(tmp_path: Path) -> None:
    assert not SAW.is_built({"XDG_CACHE_HOME": str(tmp_path)})


def test_velero_and_its_plugin_share_a_folder(tmp_path: Path) -> None:
    environ = {"XDG_CACHE_HOME": str(tmp_path)}
    folder = cache_folder(environ)
    assert [one.path(environ) for one in PROGRAMS] == [
        folder / "velero",
        folder / "velero-plugin-for-aws",
    ]
