"""The pages are true: a reader who does what they say sees what they show."""

import os
import re
from pathlib import Path

import pytest

from tests.e2e.pages.blocks import README, ROOT, page_at, pages
from tests.e2e.pages.play import play
from tests.e2e.pages.sessions import beginning
from tests.integration.clients.kubectls import found
from tests.real_cluster.fixture import REQUIRED
from tests.real_cluster.programs import Missing
from tests.unit.test_docs_metrics import rows

SESSIONS = [
    pytest.param(
        path,
        session,
        id=f"{path.relative_to(ROOT)} ({session})",
        marks=pytest.mark.slow if session == "real" else (),
    )
    for path in pages()
    for session in page_at(path).sessions()
    if session != README
]


needs_kubectl = pytest.mark.skipif(not found(), reason="no kubectl is installed")


@needs_kubectl
@pytest.mark.parametrize(("path", "session"), SESSIONS)
def test_a_page_shows_what_its_reader_sees(path: Path, session: str, tmp_path: Path) -> None:
    try:
        taken = list(play(page_at(path), session, tmp_path))
    except Missing as missing:
        if REQUIRED in os.environ:
            raise
        pytest.skip(str(missing))
    assert taken
    told = [one.trouble for one in taken if one.trouble]
    again = f"tools/fill_examples.py {path.relative_to(ROOT)} writes what is printed now"
    assert not told, "\n".join([*told[:3], again])


@needs_kubectl
def test_every_metric_of_the_reference_is_served(tmp_path: Path) -> None:
    page = ROOT / "docs" / "reference" / "metrics.md"
    named = {name for name, *_ in rows(page.read_text("utf-8"))}
    with beginning("up", tmp_path) as reader:
        numbers = reader.run("curl -s http://127.0.0.1:8085/metrics").text
    assert named - set(re.findall(r"^# TYPE (\S+) ", numbers, re.MULTILINE)) == set()
