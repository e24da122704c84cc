"""A folder that stands for an image: the steps of a Containerfile are run in it.

The interpreter and its standard library are copied in, without bytecode and without pip, as the
base image has them; a copied interpreter finds the library beside itself. Where a step says
`/opt/kedge`, the folder's own `opt/kedge` is meant. What it does not show: the base image itself.
"""

import fnmatch
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.integration.deploy.containerfile import Stage, Step

OURS = re.compile(r"(?<![\w./-])/(?=(?:opt|src|usr/local|tmp)(?:/|\b))")
"""Where a path of the image begins."""
LEFT_OUT = (
    *("__pycache__", "site-packages", "config-*"),
    # Large, and nothing that a server loads: the test is quicker without.
    *("test", "tests", "idlelib", "turtledemo", "tkinter", "lib2to3", "pydoc_data"),
)
KEPT = ("HOME", "SSL_CERT_FILE", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
"""What of our own environment a build may see, beside the settings of pip."""
LONG = 600.0
"""Seconds after which a step hangs."""


class StepError(Exception):
    """A step failed; the text has the step and what it said."""


@dataclass
class Image:
    """A folder, and what the steps so far have set."""

    root: Path
    environ: dict[str, str] = field(default_factory=dict)
    folder: str = "/"

    def inside(self, path: str) -> Path:
        """Give where a path of the image is."""
        return self.root / Path("/", self.folder, path).relative_to("/")

    def mapped(self, text: str) -> str:
        """Name paths of the image as they are called here."""
        return OURS.sub(f"{self.root}/", text)

    def run(self, command: Sequence[str] | str) -> str:
        """Run a command, a text with the shell; give its output."""
        is_text = isinstance(command, str)
        words = [command] if isinstance(command, str) else list(command)
        done = subprocess.run(
            self.mapped(words[0]) if is_text else [self.mapped(word) for word in words],
            shell=is_text,
            cwd=self.inside("."),
            env=self.seen(),
            capture_output=True,
            text=True,
            timeout=LONG,
            check=False,
        )
        if done.returncode != 0:
            raise StepError(f"{command}\n{done.stdout}{done.stderr}")
        return done.stdout

    def seen(self) -> dict[str, str]:
        """Give the variables of a process in the image, and those that the folder needs."""
        kept = {name: value for name, value in os.environ.items() if _is_kept(name)}
        path = f"/usr/local/bin:{os.environ['PATH']}"
        given = {"PATH": path, **self.environ}
        # The loader, unlike the interpreter, does not look beside the program.
        lib = {"LD_LIBRARY_PATH": str(self.root / "usr" / "local" / "lib")}
        return {**kept, **{name: self.mapped(value) for name, value in given.items()}, **lib}


def _is_kept(name: str) -> bool:
    return name.upper() in KEPT or name.startswith("PIP_")


def copy_python(root: Path) -> None:
    """Put this interpreter where the base image has its own."""
    home = root / "usr" / "local"
    for folder in ("bin", "lib"):
        (home / folder).mkdir(parents=True)
    (root / "tmp").mkdir()
    program = Path(os.path.realpath(sys._base_executable))  # type: ignore[attr-defined]
    shutil.copy2(program, home / "bin" / "python3")
    (home / "bin" / "python").symlink_to("python3")
    for library in Path(sysconfig.get_config_var("LIBDIR")).glob("libpython3*.so*"):
        shutil.copy2(library, home / "lib" / library.name)
    stdlib = Path(sysconfig.get_path("stdlib", vars={"installed_base": sys.base_prefix}))
    shutil.copytree(
        stdlib, home / "lib" / stdlib.name, ignore=shutil.ignore_patterns(*LEFT_OUT), symlinks=True
    )


def build(root: Path, context: Path, stages: Sequence[Stage]) -> Image:
    """Run all steps of all stages; stages that start from one base share a folder's base."""
    copy_python(root)
    image = Image(root)
    for stage in stages:
        image = Image(root)
        for step in stage.steps:
            _run(image, stage, step, context)
    return image


def _run(image: Image, stage: Stage, step: Step, context: Path) -> None:
    match step.name:
        case "WORKDIR":
            image.folder = step.text
            image.inside(".").mkdir(parents=True, exist_ok=True)
        case "ENV":
            image.environ |= stage.pairs("ENV")
        case "COPY":
            _copy(image, step.words, context)
        case "RUN":
            image.run(step.words if step.is_exec else step.text)


def _copy(image: Image, words: list[str], context: Path) -> None:
    *sources, target = [word for word in words if not word.startswith("--")]
    if any(word.startswith("--from=") for word in words):
        assert sources == [target]  # it is there already: the stages share a folder
        assert image.inside(target).is_dir()
        return
    for name in sources:
        assert not is_ignored(name, context), f"{name} is left out by .dockerignore"
        source, place = context / name, image.inside(target)
        if source.is_dir():
            ignore = shutil.ignore_patterns("__pycache__")
            shutil.copytree(source, place, dirs_exist_ok=True, ignore=ignore)
        else:
            shutil.copy2(source, place / source.name)


def is_ignored(name: str, context: Path) -> bool:
    """Tell whether a builder never gets to see a file."""
    lines = (context / ".dockerignore").read_text("utf-8").splitlines()
    ignored = False
    for line in lines:
        if line and not line.startswith("#"):
            pattern = line.removeprefix("!")
            if fnmatch.fnmatch(name.rstrip("/"), pattern):
                ignored = not line.startswith("!")
    return ignored
