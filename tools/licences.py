"""Write docs/reference/licences.md: what is installed with Kedge, and under which licence.

Usage: licences.py

Names come from uv.lock, licences from the metadata of what is installed in this environment.
Versions are not on the page, so that it changes when something comes or goes, or changes its terms.
"""

import re
import tomllib
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
PAGE: Final = ROOT / "docs" / "reference" / "licences.md"
SELF: Final = "kedge"
KNOWN: Final = {
    "google-re2": "BSD-3-Clause",  # its metadata say BSD, its LICENSE which one
    "typing-extensions": "PSF-2.0",  # not installed with a Python that has it all
    "uvloop": "Apache-2.0 OR MIT",  # both are named, at different places
}
SPELLINGS: Final = {
    "Apache 2.0": "Apache-2.0",
    "License :: OSI Approved :: Apache Software License": "Apache-2.0",
    "License :: OSI Approved :: MIT License": "MIT",
    "MIT License": "MIT",
}
"""As some write it, and as SPDX does."""
ALLOWED: Final = frozenset(
    {"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "MIT", "MIT-0", "PSF-2.0", "any-OSI"}
)
"""All let us ship them in an image without conditions but to pass on their texts."""
HEAD: Final = """# Licences

Kedge is under the Apache License 2.0. This is all that is installed with it, with both extras
(`cel`, `speed`), as in the image. Made by `tools/licences.py` from `uv.lock` and the metadata of
the packages; a licence that is not on its list of allowed ones fails the tests. `make sbom` writes
the same with versions and hashes, as CycloneDX.

| package | licence | needed by |
| --- | --- | --- |
"""
TAIL: Final = """
Texts of the licences are in the packages themselves (`*.dist-info`), and so in the image. Wheels
also carry compiled code of others, such as SQLite in apsw, OpenSSL in cryptography, ISA-L in isal,
libuv in uvloop, LibYAML in pyyaml and crates of Rust in obstore; whose terms these are is told
there, and not in this list.
"""


def parents() -> dict[str, list[str]]:
    """Give each package that is installed with us, and those that need it."""
    packages = tomllib.loads((ROOT / "uv.lock").read_text("utf-8"))["package"]
    needs = {package["name"]: _needed(package) for package in packages}
    found: dict[str, list[str]] = {}
    todo = [SELF]
    while todo:
        name = todo.pop()
        for other in needs[name]:
            if other not in found:
                todo.append(other)
            found.setdefault(other, []).append(name)
    return {name: sorted(found[name]) for name in sorted(found)}


def _needed(package: dict[str, Any]) -> list[str]:
    extras = package.get("optional-dependencies", {}) if package["name"] == SELF else {}
    lists = [package.get("dependencies", []), *extras.values()]
    return [one["name"] for some in lists for one in some]


def licence_of(name: str) -> str:
    """Give the licence of a package, as SPDX writes it; raises ValueError where none is told."""
    if name in KNOWN:
        return KNOWN[name]
    try:
        told = metadata(name).json
    except PackageNotFoundError as error:
        raise ValueError(f"{name} is not installed: run `make setup`") from error
    classifiers = [one for one in told.get("classifier", ()) if one.startswith("License ::")]
    for text in (told.get("license_expression"), told.get("license"), *classifiers):
        spelled = SPELLINGS.get(str(text), str(text))
        if spelled and set(re.split(r" (?:AND|OR) ", spelled)) <= ALLOWED:
            return spelled
    raise ValueError(f"{name} tells no licence that is known here; see its metadata, and decide")


def page() -> str:
    """Give the text of the page."""
    rows = [
        f"| [{name}](https://pypi.org/project/{name}/) | {licence_of(name)} | {', '.join(needed)} |"
        for name, needed in parents().items()
    ]
    return HEAD + "\n".join(rows) + "\n" + TAIL


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
