"""Write what `kedge install` applies to deploy/kedge.yaml, for those who apply it by themselves."""

from pathlib import Path

from kedge.cli.install.manifests import manifests
from kedge.cli.install.settings import InstallSettings
from kedge.cli.install.text import as_text

FILE = Path(__file__).resolve().parent.parent / "deploy" / "kedge.yaml"
HEAD = """\
# Made by tools/gen_manifests.py: what `kedge install --dry-run` prints.
# kubectl apply --server-side --field-manager=kedge-install -f kedge.yaml
"""


def text() -> str:
    """Give the text of the file."""
    return HEAD + as_text(manifests(InstallSettings()), "yaml")


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
