"""The manifests in deploy/ are those of `kedge install`."""

import yaml

from kedge.cli.install.manifests import manifests
from kedge.cli.install.settings import InstallSettings
from tools.gen_manifests import FILE, text

BASE = FILE.parent / "kustomization.yaml"


def test_the_file_is_what_would_be_applied() -> None:
    assert FILE.read_text(encoding="utf-8") == text(), "run tools/gen_manifests.py"


def test_whoever_reads_the_file_gets_all_objects() -> None:
    objects = list(yaml.safe_load_all(FILE.read_text(encoding="utf-8")))
    assert objects == manifests(InstallSettings())


def test_the_base_has_the_file_and_nothing_else() -> None:
    assert yaml.safe_load(BASE.read_text(encoding="utf-8"))["resources"] == [FILE.name]
