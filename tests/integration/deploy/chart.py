"""The chart as Helm renders it, and what `kedge install` prints, as objects."""

import json
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from click.testing import CliRunner

from kedge.cli.app import kedge as app
from tests.integration.deploy.programs import run

ROOT = Path(__file__).parents[3]
CHART = ROOT / "deploy" / "chart" / "kedge"
KEEP = "helm.sh/resource-policy"
Key = tuple[str, str, str]


@dataclass(frozen=True)
class Helm:
    """The program, and a folder of its own."""

    program: Path
    home: Path

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        return run(self.program, *arguments, home=self.home)

    def template(self, values: dict[str, Any], namespace: str = "velero") -> str:
        """Render the chart, which must succeed without a complaint."""
        done = self.try_template(values, namespace)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        return done.stdout

    def try_template(
        self, values: dict[str, Any], namespace: str = "velero"
    ) -> subprocess.CompletedProcess[str]:
        """Render the chart with values, as a file has them."""
        file = self.home / "values.json"
        file.write_text(json.dumps(values), "utf-8")
        return self.run(
            "template", "kedge", str(CHART), "--namespace", namespace, "--values", str(file)
        )


def installed(*flags: str) -> dict[Key, Any]:
    """Give what `kedge install` would apply."""
    done = CliRunner().invoke(app, ["install", "--dry-run", "-o", "json", *flags])
    assert (done.exit_code, done.stderr) == (0, "")
    return {key_of(obj): obj for obj in json.loads(done.stdout)["items"]}


def by_key(text: str) -> dict[Key, Any]:
    """Read objects, each by kind, namespace and name; none may be there twice."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    objects = [obj for obj in yaml.load_all(text, Loader=loader) if obj]
    found = {key_of(obj): obj for obj in objects}
    assert len(found) == len(objects)
    return found


def key_of(obj: dict[str, Any]) -> Key:
    """Name an object."""
    meta = obj["metadata"]
    return obj["kind"], meta.get("namespace", ""), meta["name"]


def without_kinds(objects: dict[Key, Any]) -> dict[Key, Any]:
    """Leave out the CRDs, which are large and the same for all settings."""
    return {key: obj for key, obj in objects.items() if key[0] != "CustomResourceDefinition"}


def unkept(objects: Iterable[dict[str, Any]]) -> dict[Key, Any]:
    """Take away the one thing that only Helm needs: the word that it shall not delete them."""
    found = {}
    for obj in objects:
        meta = dict(obj["metadata"])
        others = {k: v for k, v in meta.pop("annotations", {}).items() if k != KEEP}
        found[key_of(obj)] = {**obj, "metadata": {**meta, **_filled("annotations", others)}}
    return found


def _filled(name: str, value: dict[str, str]) -> dict[str, Any]:
    return {name: value} if value else {}
