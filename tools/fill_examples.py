"""Write the real output under every example of the command line reference and the how-to pages."""

import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parent.parent


def main() -> None:
    """Fill the pages that are named, by their file's name, or all."""
    sys.path.insert(0, str(ROOT))
    from tests.integration.docs.sessions import BEGINNINGS

    ways = {
        "cli.md": fill_reference,
        "prescaled.md": fill_prescaled,
        "self-service.md": fill_self_service,
    }
    wanted = sys.argv[1:] or [*ways, *BEGINNINGS]
    for name in wanted:
        ways[name]() if name in ways else fill_howto(name)


def fill_reference() -> None:
    """Run each example as its test does, and put the answer into the page."""
    from tests.integration.cli.documented import documented
    from tests.unit.test_docs import CLUSTER, output_of

    page = ROOT / "docs/reference/cli.md"
    text = _filled(page.read_text(), "", output_of)
    with documented() as cluster:
        text = _filled(text, CLUSTER, cluster.output_of)
    page.write_text(text)


def fill_howto(name: str) -> None:
    """Do what a page says, as its test does, and put what is seen into it."""
    from tests.integration.docs.howtos import PAGES, filled
    from tests.integration.docs.sessions import BEGINNINGS

    page = PAGES / name
    with tempfile.TemporaryDirectory() as folder, BEGINNINGS[name](Path(folder)) as reader:
        page.write_text(filled(page.read_text(), reader.write, reader.output_of))


def fill_prescaled() -> None:
    """Do the same for a page of one moment."""
    from tests.integration.docs.howtos import PAGES, filled
    from tests.integration.docs.stopped import stopped

    page = PAGES / "prescaled.md"
    with stopped() as reader:
        page.write_text(filled(page.read_text(), reader.write, reader.output_of))


def fill_self_service() -> None:
    """Do the same for the page of somebody with a namespace."""
    from tests.integration.docs.howtos import PAGES, filled
    from tests.integration.docs.shopkeeper import shopkeeper

    page = PAGES / "self-service.md"
    with shopkeeper() as reader:
        page.write_text(filled(page.read_text(), reader.write, reader.output_of))


def _filled(text: str, where: str, output_of: Callable[[str], str]) -> str:
    def filled(block: re.Match[str]) -> str:
        commands = re.findall(r"^\$ (kedge.*)$", block[1], re.MULTILINE)
        shown = "".join(f"$ {command}\n{output_of(command)}" for command in commands)
        return f"```console{where}\n{shown}```"

    blocks = re.compile(rf"^```console{where}\n(.*?)^```$", re.MULTILINE | re.DOTALL)
    return blocks.sub(filled, text)


if __name__ == "__main__":
    main()
