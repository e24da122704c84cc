"""The docs become a site without a warning, and the site needs nothing from elsewhere."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
BUILD_SECONDS = 300.0
ELSEWHERE = re.compile(
    r"<(?:script|img|iframe|source|video)\b[^>]*\ssrc=\"?(?:https?:)?//[^\"> ]*"
    r"|<link\b(?![^>]*rel=\"?(?:canonical|license))[^>]*\shref=\"?(?:https?:)?//[^\"> ]*"
)
FETCHED = re.compile(r"(?:@import|url\()\s*[\"']?(?:https?:)?//[^\"')]*")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site; a warning is a failure."""
    folder = tmp_path_factory.mktemp("site")
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=BUILD_SECONDS,
        check=False,
    )
    assert built.returncode == 0, built.stdout
    assert "WARNING" not in built.stdout
    return folder


def test_every_page_is_there(site: Path) -> None:
    docs = ROOT / "docs"
    for page in docs.rglob("*.md"):
        name = page.relative_to(docs).with_suffix("")
        folder = name.parent if name.name == "README" else name
        assert (site / folder / "index.html").is_file(), page


def test_a_page_fetches_nothing_from_elsewhere(site: Path) -> None:
    found = [
        (str(page.relative_to(site)), fetched)
        for page in site.rglob("*.html")
        for fetched in ELSEWHERE.findall(page.read_text("utf-8"))
    ]
    styles = [FETCHED.findall(sheet.read_text("utf-8")) for sheet in site.rglob("*.css")]
    assert found == []
    assert [one for one in styles if one] == []


def test_pictures_are_part_of_their_pages(site: Path) -> None:
    text = (site / "explanation" / "architecture" / "index.html").read_text("utf-8")
    assert "keys, not events</text>" in text


class TestTheDetector:
    """It would find what a page fetches."""

    @pytest.mark.parametrize(
        "html",
        [
            '<script src="https://cdn.example.com/a.js"></script>',
            '<img alt="x" src="//example.com/a.png">',
            '<link rel="stylesheet" href="https://fonts.example.com/css">',
        ],
    )
    def test_finds_it(self, html: str) -> None:
        assert ELSEWHERE.search(html)

    def test_leaves_links_alone(self) -> None:
        assert not ELSEWHERE.search('<a href="https://example.com">x</a><img src="../a.png">')
