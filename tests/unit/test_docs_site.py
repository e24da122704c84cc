"""The site of the docs: what becomes of the menu, of code blocks and of pictures."""

from pathlib import Path
from types import SimpleNamespace

import yaml

from tools.docs_site import expanded, named, on_page_content, on_page_markdown

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
DRAWINGS = sorted(DOCS.rglob("drawn/*.svg"))


def menu() -> list[object]:
    """Give the menu, with all files in it."""
    written = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["nav"]
    return list(expanded(written, DOCS, set(named(written))))


def test_every_page_is_in_the_menu_once() -> None:
    pages = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))
    assert sorted(named(menu())) == pages


def test_every_drawing_is_shown_and_has_colours_for_a_dark_page() -> None:
    texts = "".join(page.read_text("utf-8") for page in DOCS.rglob("*.md"))
    assert DRAWINGS
    for drawing in DRAWINGS:
        assert f"(drawn/{drawing.name})" in texts
        text = drawing.read_text("utf-8")
        assert "<text " in text
        assert "prefers-color-scheme:dark" in text or 'class="terminal"' in text
        assert "http" not in text.replace("http://www.w3.org/2000/svg", "")


class TestTheMenu:
    """Patterns."""

    def test_stand_for_what_is_not_named_in_order(self, tmp_path: Path) -> None:
        for name in ("b.md", "a.md", "c.md"):
            (tmp_path / name).touch()
        written = [{"One": "c.md"}, {"Rest": ["*"]}]
        filled = expanded(written, tmp_path, set(named(written)))
        assert filled == [{"One": "c.md"}, {"Rest": ["a.md", "b.md"]}]


class TestBlocks:
    """Words behind the language."""

    def test_name_the_file_of_yaml(self) -> None:
        assert on_page_markdown("```yaml a.yaml\nx: 1\n```") == (
            '```yaml title="a.yaml"\nx: 1\n```'
        )

    def test_are_dropped_elsewhere(self) -> None:
        assert on_page_markdown("```console cluster\n$ x\n```") == "```console\n$ x\n```"

    def test_stay_where_they_are_options(self) -> None:
        text = '```yaml title="a b.yaml"\nx: 1\n```'
        assert on_page_markdown(text) == text


class TestPictures:
    """Drawings become part of the page."""

    def test_are_put_into_the_page(self, tmp_path: Path) -> None:
        (tmp_path / "drawn").mkdir()
        (tmp_path / "drawn" / "a.svg").write_text("<svg>a</svg>")
        page = SimpleNamespace(file=SimpleNamespace(abs_src_path=str(tmp_path / "page.md")))
        html = on_page_content('<p><img alt="A" src="../drawn/a.svg" /></p>', page)
        assert html == '<figure class="drawn"><svg>a</svg></figure>'

    def test_others_stay(self, tmp_path: Path) -> None:
        page = SimpleNamespace(file=SimpleNamespace(abs_src_path=str(tmp_path / "page.md")))
        html = '<img alt="A" src="../assets/a.png">'
        assert on_page_content(html, page) == html


class TestSessions:
    """What is copied of them."""

    START = '<div class="highlight"><pre><span></span><code>'
    END = "</code></pre></div>"

    def copied(self, code: str, tmp_path: Path) -> str:
        page = SimpleNamespace(file=SimpleNamespace(abs_src_path=str(tmp_path / "page.md")))
        return on_page_content(f"{self.START}{code}{self.END}", page)

    def test_are_the_commands(self, tmp_path: Path) -> None:
        code = (
            '<span class="gp">$ </span>a &quot;b&quot; \\\n  c\n<span class="go">out</span>\n$ d\n'
        )
        html = self.copied(code, tmp_path)
        assert 'data-copy="a &quot;b&quot; \\\n  c\nd">' in html
        assert html.endswith(f"{code}{self.END}")

    def test_other_blocks_are_copied_whole(self, tmp_path: Path) -> None:
        assert "data-copy" not in self.copied("kind: Backup\n", tmp_path)
