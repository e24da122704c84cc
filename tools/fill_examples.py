"""Write what the commands of the pages print below them, as the tests of the pages see it."""

import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def main() -> None:
    """Fill the pages that are named, by a path or the end of one, or all."""
    sys.path.insert(0, str(ROOT))
    from tests.e2e.pages.blocks import README, page_at, pages
    from tests.e2e.pages.play import fill

    known = [path for path in pages() if set(page_at(path).sessions()) - {README}]
    wanted = [_found(name, known) for name in sys.argv[1:]] or known
    for path in wanted:
        for trouble in fill(path):
            print(f"{path.relative_to(ROOT)}: {trouble}", file=sys.stderr)  # noqa: T201


def _found(name: str, known: list[Path]) -> Path:
    for path in known:
        if f"/{path.relative_to(ROOT)}".endswith(f"/{name.removeprefix('./')}"):
            return path
    sys.exit(
        f"{name} is no page with commands that are run; these are: {', '.join(map(str, known))}"
    )


if __name__ == "__main__":
    main()
