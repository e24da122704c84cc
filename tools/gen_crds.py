"""Write the CRDs of our kinds to deploy/crds, one file each; what is not of us is removed."""

from pathlib import Path

import yaml

from kedge.api.crd import crds

FOLDER = Path(__file__).resolve().parent.parent / "deploy" / "crds"
HEAD = "# Made by tools/gen_crds.py from the types in src/kedge/api: change those, not this.\n"


def files() -> dict[str, str]:
    """Give the text of each file by its name."""
    return {f"{crd['metadata']['name']}.yaml": HEAD + text_of(crd) for crd in crds()}


def text_of(crd: dict[str, object]) -> str:
    """Write a CRD as people read it."""
    return yaml.dump(crd, Dumper=yaml.SafeDumper, sort_keys=False, width=100, allow_unicode=True)


def main() -> None:
    """Make the folder anew."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    made = files()
    for path in FOLDER.glob("*.yaml"):
        if path.name not in made:
            path.unlink()
    for name, text in made.items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
