"""Pages that name things of the code, or each other, name what is there."""

import re
from pathlib import Path

import pytest

from kedge.objects import azure, gcs, s3

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.rglob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"])
LINK = re.compile(r"\[[^\]\[]*\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
CODE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
SETTINGS = {
    "Any S3": s3.SETTINGS,
    "Azure": azure.SETTINGS,
    "Google Cloud Storage": gcs.SETTINGS,
    "A folder": ("path",),
}


def anchors(text: str) -> set[str]:
    """Give the names by which the headings of a page can be linked to."""
    found = (one.lower().strip() for one in HEADING.findall(CODE.sub("", text)))
    return {re.sub(r"[^\w\- ]", "", one).replace(" ", "-") for one in found}


def broken(page: Path) -> list[str]:
    """List the links of a page that lead nowhere."""
    found = []
    for path, anchor in LINK.findall(CODE.sub("", page.read_text("utf-8"))):
        target = (page.parent / path).resolve() if path else page
        if not target.exists():
            found.append(path)
        elif anchor and anchor not in anchors(target.read_text("utf-8")):
            found.append(f"{path}#{anchor}")
    return found


def settings_of(section: str) -> list[str]:
    """Give the settings that the page of object storage lists under a heading."""
    text = (DOCS / "howto" / "object-storage.md").read_text("utf-8")
    _, _, rest = text.partition(f"\n## {section}\n")
    _, _, table = re.split(r"^## ", rest, flags=re.MULTILINE)[0].partition("| `config` |")
    rows = [line for line in table.splitlines() if line.startswith("| `")]
    before_options = [row for row in rows if not row.startswith("| `--")]
    return [name for row in before_options for name in re.findall(r"`(\w+)`", row.split("|")[1])]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    assert broken(page) == []


def test_every_page_can_be_found_from_the_first_one() -> None:
    known, todo = set(), [DOCS / "README.md"]
    while todo:
        page = todo.pop().resolve()
        if page not in known:
            known.add(page)
            links = LINK.findall(page.read_text("utf-8")) if page.suffix == ".md" else []
            todo += [page.parent / path for path, _ in links if path]
    assert [page for page in DOCS.rglob("*.md") if page.resolve() not in known] == []


@pytest.mark.parametrize("section", SETTINGS)
def test_every_setting_of_a_provider_is_listed_and_no_other(section: str) -> None:
    assert sorted(settings_of(section)) == sorted(SETTINGS[section])


class TestTheDetectors:
    """They would find what is missing."""

    def test_a_page_and_a_heading_that_are_not_there(self, tmp_path: Path) -> None:
        page = tmp_path / "a.md"
        page.write_text("# A, and `b`\n[1](b.md) [2](#a-and-b) [3](a.md#c) [4](http://x/y)\n")
        assert broken(page) == ["b.md", "a.md#c"]
