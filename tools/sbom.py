"""Write a list of all that is installed with Kedge, as CycloneDX: dist/kedge.cdx.json.

Usage: python -m tools.sbom [FILE]

uv writes versions, hashes and who needs whom, from uv.lock; licences and our own version are put
in here. The same tree gives the same file: it has no time, and its number is made of its content.
"""

import json
import sys
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from kedge import __version__
from tools.licences import licence_of
from tools.requirements import EXTRAS, ROOT, uv

FILE = ROOT / "dist" / "kedge.cdx.json"
LICENCE = "Apache-2.0"


def sbom() -> dict[str, Any]:
    """Give the document."""
    extras = [part for extra in EXTRAS for part in ("--extra", extra)]
    flags = ["--locked", "--no-default-groups", "--preview-features", "sbom-export"]
    found: dict[str, Any] = json.loads(uv("export", *flags, *extras, "--format", "cyclonedx1.5"))
    found["metadata"].pop("timestamp", None)
    found.pop("serialNumber", None)
    found["metadata"]["component"] |= {
        "type": "application",
        "version": __version__,
        "purl": f"pkg:pypi/kedge@{__version__}",
        "licenses": [{"expression": LICENCE}],
    }
    for component in found["components"]:
        component["licenses"] = [{"expression": licence_of(component["name"])}]
    number = uuid5(NAMESPACE_URL, json.dumps(found, sort_keys=True))
    return {
        "bomFormat": found.pop("bomFormat"),
        "specVersion": found.pop("specVersion"),
        "serialNumber": number.urn,
        **found,
    }


def main() -> None:
    """Write the file."""
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else FILE
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(sbom(), indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
