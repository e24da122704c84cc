"""What is installed with us is pinned, has a wheel for the image, and a licence that we list."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import parse_wheel_filename

from kedge import __version__
from tests.integration.deploy.containerfile import stages
from tools import licences, requirements
from tools.sbom import sbom

ROOT = Path(__file__).parents[3]
MACHINES = ("x86_64", "aarch64")
PINNED = re.compile(r"^([\w.-]+)==(\S+)(?: ; (.*?))? \\$", re.MULTILINE)

needs_uv = pytest.mark.skipif(not requirements.UV.exists(), reason="no uv: run `make setup`")


def pinned(name: str) -> dict[str, str]:
    """Give the versions that a file of requirements pins."""
    text = (requirements.FOLDER / name).read_text("utf-8")
    return {found[0]: found[1] for found in PINNED.findall(text)}


def locked() -> dict[str, dict[str, Any]]:
    """Give the packages of uv.lock that are installed with us."""
    packages = tomllib.loads((ROOT / "uv.lock").read_text("utf-8"))["package"]
    needed = licences.parents()
    return {package["name"]: package for package in packages if package["name"] in needed}


def fits(wheel: str, python: str, machine: str) -> bool:
    """Tell whether pip takes a wheel with this CPython on a Linux of today."""
    for tag in parse_wheel_filename(wheel)[3]:
        is_python = tag.interpreter in {f"cp{python}", "py3", "py2.py3"} or (
            tag.abi == "abi3" and int(tag.interpreter[3:]) <= int(python[1:])
        )
        is_abi = tag.abi in {f"cp{python}", "abi3", "none"}
        is_machine = re.fullmatch(rf"manylinux.*_{machine}", tag.platform) is not None
        if is_python and is_abi and (is_machine or tag.platform == "any"):
            return True
    return False


@needs_uv
def test_the_image_installs_what_the_lock_has() -> None:
    text = (requirements.FOLDER / "requirements.txt").read_text("utf-8")
    assert text == requirements.runtime(), "run .venv/bin/python tools/requirements.py"


def test_nothing_is_without_a_hash() -> None:
    for name in ("requirements.txt", "build-requirements.txt"):
        text = (requirements.FOLDER / name).read_text("utf-8")
        entries = re.split(r"\n(?=\w)", text.partition("\n")[2])
        assert len(entries) == len(pinned(name)) > 0
        assert all("--hash=sha256:" in entry for entry in entries)


def test_the_build_backend_is_one_that_we_take() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    found = pinned("build-requirements.txt")
    for text in project["build-system"]["requires"]:
        wanted = Requirement(text)
        assert wanted.specifier.contains(found[wanted.name])


@pytest.mark.parametrize("machine", MACHINES)
def test_the_python_of_the_image_has_a_wheel_of_everything(machine: str) -> None:
    base = stages(ROOT / "Containerfile")[-1].base
    match = re.search(r"python:(\d+)\.(\d+)-", base)
    assert match is not None
    python = match[1] + match[2]
    for name, package in locked().items():
        wheels = [wheel["url"].rpartition("/")[2] for wheel in package["wheels"]]
        assert any(fits(wheel, python, machine) for wheel in wheels), name


def test_the_page_of_licences_is_true() -> None:
    assert licences.PAGE.read_text("utf-8") == licences.page(), (
        "run .venv/bin/python tools/licences.py"
    )


@needs_uv
def test_the_list_for_machines_has_all_with_licence_and_hash() -> None:
    found = sbom()
    assert (found["bomFormat"], found["specVersion"]) == ("CycloneDX", "1.5")
    assert found["metadata"]["component"]["version"] == __version__
    components = {one["name"]: one for one in found["components"]}
    assert {name: one["version"] for name, one in components.items()} == {
        name: package["version"] for name, package in locked().items()
    }
    for one in components.values():
        assert one["purl"] == f"pkg:pypi/{one['name']}@{one['version']}"
        assert one["licenses"][0]["expression"]
        assert all(file["hashes"] for file in one["externalReferences"])
    assert sbom() == found


class TestTheDetectors:
    """They would find what does not fit."""

    def test_a_wheel_for_another_machine_or_python(self) -> None:
        assert fits("a-1-cp313-cp313-manylinux_2_28_x86_64.whl", "313", "x86_64")
        assert not fits("a-1-cp313-cp313-manylinux_2_28_x86_64.whl", "313", "aarch64")
        assert not fits("a-1-cp312-cp312-manylinux_2_28_x86_64.whl", "313", "x86_64")
        assert not fits("a-1-cp313-cp313-musllinux_1_2_x86_64.whl", "313", "x86_64")
        assert not fits("a-1-cp313-cp313-win_amd64.whl", "313", "x86_64")
        assert fits("a-1-cp39-abi3-manylinux2014_aarch64.whl", "313", "aarch64")
        assert not fits("a-1-cp314-abi3-manylinux2014_aarch64.whl", "313", "aarch64")
        assert fits("a-1-py3-none-any.whl", "313", "aarch64")

    def test_a_package_that_is_not_there(self) -> None:
        with pytest.raises(ValueError, match="no-such-thing is not installed"):
            licences.licence_of("no-such-thing")
