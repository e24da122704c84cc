"""How tests are shared out to several processes."""

from pathlib import Path

import pytest

from tests.sharing import APART, KEEPERS, REAL, SHORT, TOGETHER, Sharing, rank

ROOT = Path(__file__).parents[2]
LONG = "tests/integration/controllers/test_schedules.py"
UNIT = "tests/unit/cron/test_parse.py"


@pytest.mark.parametrize("path", [*REAL, *TOGETHER, SHORT])
def test_what_is_named_is_there(path: str) -> None:
    assert list(ROOT.glob(f"{path}*"))


@pytest.mark.parametrize("end", APART)
def test_what_is_named_by_its_end_is_there(end: str) -> None:
    assert list(ROOT.glob(f"tests/**/*{end.removeprefix('/')}"))


@pytest.mark.parametrize("keeps", [True, False])
def test_long_files_come_before_short_ones(keeps: bool) -> None:
    assert rank(LONG, keeps) < rank(UNIT, keeps)


@pytest.mark.parametrize("scope", REAL)
def test_real_clusters_are_for_few_processes(scope: str) -> None:
    assert rank(scope, keeps=True) < rank(LONG, keeps=True)
    assert rank(scope, keeps=False) > rank(UNIT, keeps=False)


def test_a_single_test_that_names_a_real_cluster_goes_where_one_is() -> None:
    page = "tests/e2e/test_pages.py::test_a[docs/howto/velero.md"
    assert rank(f"{page} (real)]", keeps=True) < rank(f"{page} (up)]", keeps=True)
    assert rank(f"{page} (real)]", keeps=False) > rank(f"{page} (up)]", keeps=False)


def test_few_processes_keep_a_real_cluster() -> None:
    assert len(KEEPERS) == 1


class Alone(Sharing):
    """Splits, and does no more."""

    def __init__(self) -> None:
        """Need nothing that a run has."""


@pytest.mark.parametrize(
    ("nodeid", "scope"),
    [
        (f"{UNIT}::test_a[x::y]", UNIT),
        (f"{UNIT}::TestB::test_a", UNIT),
        ("tests/velero/test_live.py::test_a", "tests/velero/"),
        ("tests/integration/objects/test_stores.py::test_a", "tests/integration/objects/"),
        ("tests/e2e/test_pages.py::test_a[x]", "tests/e2e/test_pages.py::test_a[x]"),
    ],
)
def test_files_and_some_folders_stay_in_one_process(nodeid: str, scope: str) -> None:
    assert Alone()._split_scope(nodeid) == scope
