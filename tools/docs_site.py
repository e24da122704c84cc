"""What MkDocs does to the pages on their way to the site: the menu, code blocks, pictures."""

import html as markup
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

FENCE = re.compile(r"^```(?P<language>\w+) (?P<word>[^\s=]+)$", re.MULTILINE)
PICTURE = re.compile(
    r'(?:<p>)?<img [^>]*src="(?:[^":]+/)?drawn/(?P<name>[^"/]+\.svg)"[^>]*>(?:</p>)?'
)
SESSION = re.compile(
    r'<div class="highlight">(?P<block><pre><span></span><code>.*?</code></pre></div>)', re.DOTALL
)
COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)$", re.MULTILINE)
TAG = re.compile(r"<[^>]+>")


class Source(Protocol):
    """What is used of a file of MkDocs."""

    abs_src_path: str


class Page(Protocol):
    """What is used of a page of MkDocs."""

    file: Source


def on_config(config: Any) -> Any:
    """Fill the menu, and name headings as hosts of repositories do, for links that work on both."""
    from pymdownx.slugs import slugify  # type: ignore[import-untyped]

    docs = Path(config.docs_dir)
    config.nav = expanded(config.nav, docs, set(named(config.nav)))
    config.mdx_configs["toc"]["slugify"] = slugify(case="lower")
    return config


def on_page_markdown(markdown: str, **_: object) -> str:
    """Make code blocks such as the site can read."""
    return FENCE.sub(_fence, markdown)


def on_page_content(html: str, page: Page, **_: object) -> str:
    """Put pictures into the page, so that their text is text and their colours are the site's.

    What is copied of a session are its commands, and not what they print.
    """
    folder = Path(page.file.abs_src_path).parent / "drawn"
    drawn = PICTURE.sub(lambda found: _inline(folder / found["name"]), html)
    return SESSION.sub(_copied, drawn)


def named(menu: Any) -> Iterator[str]:
    """Give the files that a part of the menu names, and its patterns."""
    if isinstance(menu, str):
        yield menu
        return
    for part in menu.values() if isinstance(menu, dict) else menu:
        yield from named(part)


def expanded(menu: Any, docs: Path, known: set[str]) -> Any:
    """Give a part of the menu with the files that a pattern stands for, without those known."""
    if isinstance(menu, dict):
        return {title: expanded(part, docs, known) for title, part in menu.items()}
    if not isinstance(menu, list):
        return menu
    parts: list[Any] = []
    for part in menu:
        if isinstance(part, str) and "*" in part:
            found = (file.relative_to(docs).as_posix() for file in docs.glob(f"{part}.md"))
            parts += sorted(name for name in found if name not in known)
        else:
            parts.append(expanded(part, docs, known))
    return parts


def _fence(found: re.Match[str]) -> str:
    """Keep a second word as the name of a file in YAML; elsewhere it is for the tests."""
    title = f' title="{found["word"]}"' if found["language"] == "yaml" else ""
    return f"```{found['language']}{title}"


def _inline(drawing: Path) -> str:
    return f'<figure class="drawn">{drawing.read_text("utf-8")}</figure>'


def _copied(found: re.Match[str]) -> str:
    commands = COMMAND.findall(markup.unescape(TAG.sub("", found["block"])))
    if not commands:
        return found[0]
    copied = markup.escape("\n".join(commands))
    return f'<div class="highlight" data-copy="{copied}">{found["block"]}'
