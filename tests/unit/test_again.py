"""The second chance of a few tests that failed in a whole run."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "again.py"
TESTS = "def test_well(): pass\ndef test_badly(): assert False\n"
WELL, BADLY = "test_some.py::test_well", "test_some.py::test_badly"


def again(folder: Path, end: int | None, failed: list[str]) -> tuple[int, str]:
    """Try it after a run that ended so; give the exit code and what was said."""
    (folder / "test_some.py").write_text(TESTS)
    for name, value in {"kedge/end": end, "cache/lastfailed": dict.fromkeys(failed, True)}.items():
        path = folder / ".pytest_cache" / "v" / name
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(value))
    done = subprocess.run(
        [sys.executable, str(TOOL)], cwd=folder, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout


def failed_now(folder: Path) -> list[str]:
    return list(json.loads((folder / ".pytest_cache/v/cache/lastfailed").read_text()))


def test_what_passes_now_is_well_and_no_longer_failed(tmp_path: Path) -> None:
    code, said = again(tmp_path, 1, [WELL])
    assert code == 0
    assert WELL in said
    assert "1 passed" in said
    assert not (tmp_path / ".pytest_cache/v/cache/lastfailed").exists() or not failed_now(tmp_path)


def test_what_fails_again_is_broken(tmp_path: Path) -> None:
    code, said = again(tmp_path, 1, [WELL, BADLY])
    assert code == 1
    assert "1 failed, 1 passed" in said
    assert failed_now(tmp_path) == [BADLY]


@pytest.mark.parametrize("count", [0, 6])
def test_none_and_many_are_not_tried_again(tmp_path: Path, count: int) -> None:
    code, said = again(tmp_path, 1, [f"{WELL}[{number}]" for number in range(count)])
    assert (code, said) == (1, f"{count} tests failed; only 1 to 5 would be run again\n")


@pytest.mark.parametrize("end", [None, 0, 2, 3, 4, 5])
def test_a_run_that_did_not_come_to_its_end_has_no_second_chance(
    tmp_path: Path, end: int | None
) -> None:
    code, said = again(tmp_path, end, [WELL])
    assert code == 1
    assert "did not come to its end" in said
