"""Write the real output under every `$ kedge` example of the command line reference."""

import re
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parent.parent


def main() -> None:
    """Run each example as its test does, and put the answer into the page."""
    sys.path.insert(0, str(ROOT))
    from tests.integration.cli.documented import documented
    from tests.unit.test_docs import CLUSTER, output_of

    page = ROOT / "docs/reference/cli.md"
    text = _filled(page.read_text(), "", output_of)
    with documented() as cluster:
        text = _filled(text, CLUSTER, cluster.output_of)
    page.write_text(text)


def _filled(text: str, where: str, output_of: Callable[[str], str]) -> str:
    def filled(block: re.Match[str]) -> str:
        commands = re.findall(r"^\$ (kedge.*)$", block[1], re.MULTILINE)
        shown = "".join(f"$ {command}\n{output_of(command)}" for command in commands)
        return f"```console{where}\n{shown}```"

    blocks = re.compile(rf"^```console{where}\n(.*?)^```$", re.MULTILINE | re.DOTALL)
    return blocks.sub(filled, text)


if __name__ == "__main__":
    main()
