"""Write the real output under every `$ kedge` example of the command line reference."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def main() -> None:
    """Run each example as its test does, and put the answer into the page."""
    sys.path.insert(0, str(ROOT))
    from tests.unit.test_docs import output_of

    def filled(block: re.Match[str]) -> str:
        commands = re.findall(r"^\$ (kedge.*)$", block[1], re.MULTILINE)
        shown = "".join(f"$ {command}\n{output_of(command)}" for command in commands)
        return f"```console\n{shown}```"

    page = ROOT / "docs/reference/cli.md"
    blocks = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
    page.write_text(blocks.sub(filled, page.read_text()))


if __name__ == "__main__":
    main()
