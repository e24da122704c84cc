"""Write what the image installs, each wheel with its hashes: deploy/image/*.txt.

Usage: requirements.py

What runs comes from uv.lock. The build backend is not in the lock: it is resolved anew only where
its file is not there, so that the same tree gives the same files.
"""

import subprocess
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "deploy" / "image"
UV = ROOT / ".uv" / "bin" / "uv"
EXTRAS = ("cel", "speed")
HEAD = "# Made by tools/requirements.py: {}.\n"


def runtime() -> str:
    """Give the requirements of the server, as the lock has them."""
    extras = [part for extra in EXTRAS for part in ("--extra", extra)]
    flags = ["--locked", "--no-default-groups", "--no-emit-project", "--no-header", "--no-annotate"]
    text = uv("export", *flags, *extras, "--format", "requirements.txt")
    return HEAD.format("change uv.lock, not this") + text


def backend() -> str:
    """Resolve what builds the wheel, with all it needs, for any Python that we run on."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    flags = ["--generate-hashes", "--universal", "--no-header", "--no-annotate", "--quiet"]
    python = project["project"]["requires-python"].removeprefix(">=")
    wanted = "\n".join(project["build-system"]["requires"])
    text = uv("pip", "compile", *flags, "--python-version", python, "-", given=wanted)
    return HEAD.format("to have newer ones, delete this file") + text


def uv(*arguments: str, given: str = "") -> str:
    """Run uv on this project; its own words tell what went wrong."""
    done = subprocess.run(
        [UV, "--project", ROOT, *arguments],
        cwd=ROOT,
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise SystemExit(f"error: uv {arguments[0]} failed: {done.stderr.strip()}")
    return done.stdout


def main() -> None:
    """Write the files."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "requirements.txt").write_text(runtime(), "utf-8")
    if not (FOLDER / "build-requirements.txt").exists():
        (FOLDER / "build-requirements.txt").write_text(backend(), "utf-8")


if __name__ == "__main__":
    main()
