"""Write what the Helm chart has in common with `kedge install`, so that it is written once.

Usage: chart.py

Made are deploy/chart/kedge/files (kinds, rights, alerts, dashboard) and the two versions in
Chart.yaml. Templates and values are written by hand; a test holds them against `kedge install`.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import yaml

from kedge import __version__
from kedge.api.crd import crds
from kedge.cli.install.rights import CLUSTER_RULES, RIGHTS
from kedge.cli.install.tenants import policy_roles, tenant_roles

DEPLOY: Final = Path(__file__).resolve().parent.parent / "deploy"
CHART: Final = DEPLOY / "chart" / "kedge"
HEAD: Final = "# Made by tools/chart.py: change {}, not this.\n"
INSTALL: Final = "src/kedge/cli/install"
KEEP: Final = {"helm.sh/resource-policy": "keep"}
"""`helm uninstall` leaves what has this annotation."""
COPIES: Final = {
    "alerts.yaml": DEPLOY / "alerts" / "kedge.rules.yaml",
    "dashboard.json": DEPLOY / "dashboards" / "kedge.json",
}


def files() -> dict[str, str]:
    """Give the text of each file by its path in the chart."""
    made = {f"files/crds/{crd['metadata']['name']}.yaml": _crd(crd) for crd in crds()}
    lists = {
        "role-rules": [one.rule for one in RIGHTS],
        "cluster-role-rules": CLUSTER_RULES,
        "tenant-roles": tenant_roles(),
        "policy-roles": [_homeless(role) for role in policy_roles("")],
    }
    for name, items in lists.items():
        made[f"files/{name}.yaml"] = HEAD.format(INSTALL) + _text(items)
    for name, source in COPIES.items():
        made[f"files/{name}"] = source.read_text("utf-8")
    made["Chart.yaml"] = _versions((CHART / "Chart.yaml").read_text("utf-8"))
    return made


def semantic(version: str) -> str:
    """Write a version of Python's as a chart must have it: 1.2.3.dev4+x is 1.2.3-dev4+x."""
    match = re.fullmatch(r"(\d+\.\d+\.\d+)\.?([a-z]+\d+)?(\+.+)?", version)
    if match is None:
        raise ValueError(f"{version!r} has no counterpart among semantic versions")
    number, stage, local = match.groups(default="")
    return number + (f"-{stage}" if stage else "") + local


def _crd(crd: dict[str, Any]) -> str:
    meta = {**crd["metadata"], "annotations": {**crd["metadata"].get("annotations", {}), **KEEP}}
    return HEAD.format("src/kedge/api") + _text({**crd, "metadata": meta})


def _homeless(obj: dict[str, Any]) -> dict[str, Any]:
    """Leave out the namespace, which is that of a release."""
    meta = {key: value for key, value in obj["metadata"].items() if key != "namespace"}
    return {**obj, "metadata": meta}


def _versions(text: str) -> str:
    text = re.sub(r"^version: .*$", f"version: {semantic(__version__)}", text, flags=re.MULTILINE)
    return re.sub(r"^appVersion: .*$", f"appVersion: {__version__}", text, flags=re.MULTILINE)


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: object) -> bool:  # parts that are shared are written out
        return True


def _text(value: Sequence[Any] | dict[str, Any]) -> str:
    return yaml.dump(value, Dumper=_Dumper, sort_keys=False, width=100, allow_unicode=True)


def main() -> None:
    """Make the files anew; what is no longer made is removed."""
    made = files()
    for path in (CHART / "files").rglob("*"):
        if path.is_file() and str(path.relative_to(CHART)) not in made:
            path.unlink()
    for name, text in made.items():
        (CHART / name).parent.mkdir(parents=True, exist_ok=True)
        (CHART / name).write_text(text, "utf-8")


if __name__ == "__main__":
    main()
