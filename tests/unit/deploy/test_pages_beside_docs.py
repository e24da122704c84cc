"""Pages that are not below docs/ name what is there, too."""

from pathlib import Path

import pytest

from tests.unit.test_docs_pages import broken

ROOT = Path(__file__).parents[3]
PAGES = ("SECURITY.md", "deploy/chart/kedge/README.md")


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_somewhere(page: str) -> None:
    assert broken(ROOT / page) == []
