"""The manifest for krew is that of this version, and what it names is what is built."""

import hashlib
import io
import re
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from kedge import __version__
from tools.krew import archive, manifest, tag

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "deploy" / "krew"


@pytest.fixture(scope="module")
def written() -> dict[str, Any]:
    """Read the manifest that is in the repository."""
    return dict(yaml.safe_load((FOLDER / "kedge.yaml").read_text("utf-8")))


def test_the_manifest_is_the_one_that_the_tool_writes(written: dict[str, Any]) -> None:
    assert written == manifest(archive())


def test_the_manifest_has_what_krew_wants(written: dict[str, Any]) -> None:
    spec = written["spec"]
    assert written["apiVersion"] == "krew.googlecontainertools.github.com/v1alpha2"
    assert written["kind"] == "Plugin"
    # krew names plugins after their file, and allows lower case, digits and hyphens.
    assert re.fullmatch(r"[a-z0-9-]+", written["metadata"]["name"])
    assert re.fullmatch(r"v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?", spec["version"])
    # Longer ones are cut in `kubectl krew search`.
    assert len(spec["shortDescription"]) <= 50
    assert not spec["shortDescription"].endswith(".")
    assert spec["homepage"].startswith("https://")
    for platform in spec["platforms"]:
        assert set(platform) == {"selector", "uri", "sha256", "bin"}
        assert set(platform["selector"]["matchLabels"]) == {"os", "arch"}
        assert re.fullmatch(r"[0-9a-f]{64}", platform["sha256"])
        assert spec["version"] in platform["uri"]


def test_the_archive_is_the_one_that_is_named(written: dict[str, Any]) -> None:
    data = archive()
    (digest,) = {one["sha256"] for one in written["spec"]["platforms"]}
    assert hashlib.sha256(data).hexdigest() == digest
    with tarfile.open(fileobj=io.BytesIO(data)) as packed:
        assert packed.getnames() == ["kubectl-kedge", "LICENSE"]
        assert packed.getmember("kubectl-kedge").mode == 0o755


def test_the_script_fetches_this_version() -> None:
    assert f'version="{__version__}"' in (FOLDER / "kubectl-kedge").read_text("utf-8")


@pytest.mark.parametrize(
    ("version", "shown"),
    [("1.2.3", "v1.2.3"), ("0.1.0.dev0", "v0.1.0-dev0"), ("1.0.0rc1", "v1.0.0-rc1")],
)
def test_versions_are_written_as_krew_wants_them(version: str, shown: str) -> None:
    assert tag(version) == shown


@pytest.mark.parametrize(
    ("runner", "called"),
    [
        ("uvx", f"uvx --quiet --from kedge=={__version__} kubectl-kedge backup get -n shop"),
        ("pipx", f"pipx run --spec kedge=={__version__} kubectl-kedge backup get -n shop"),
    ],
)
def test_the_script_runs_what_is_there(tmp_path: Path, runner: str, called: str) -> None:
    stand_in = tmp_path / runner
    stand_in.write_text(f'#!/bin/sh\necho {runner} "$@"\n')
    stand_in.chmod(0o755)
    done = _run(tmp_path)
    assert (done.returncode, done.stdout) == (0, f"{called}\n")


def test_the_script_says_what_is_missing(tmp_path: Path) -> None:
    done = _run(tmp_path)
    assert done.returncode == 1
    assert "install uv or pipx" in done.stderr


def _run(folder: Path) -> subprocess.CompletedProcess[str]:
    command = ["/bin/sh", str(FOLDER / "kubectl-kedge"), "backup", "get", "-n", "shop"]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, env={"PATH": str(folder)}
    )
