"""Where the programs of a real cluster are."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tools.real_cluster.build import KUBERNETES, cache_folder


class Missing(Exception):
    """No folder has all the programs; the message says what to do."""


@dataclass(frozen=True)
class Programs:
    """The programs of one folder; what came without the controllers or kubectl has None there."""

    etcd: Path
    apiserver: Path
    controller_manager: Path | None
    kubectl: Path | None


def find(environ: Mapping[str, str] = os.environ) -> Programs:
    """Look in KUBEBUILDER_ASSETS, as Kubernetes' own test kit does, then in the cache folder."""
    named = environ.get("KUBEBUILDER_ASSETS")
    folders = [Path(named)] if named else []
    for folder in [*folders, cache_folder(KUBERNETES, environ)]:
        etcd, apiserver = _in(folder, "etcd"), _in(folder, "kube-apiserver")
        if etcd and apiserver:
            return Programs(
                etcd, apiserver, _in(folder, "kube-controller-manager"), _in(folder, "kubectl")
            )
    raise Missing(
        "no kube-apiserver and etcd in KUBEBUILDER_ASSETS or the cache folder: "
        "build them with `make real-cluster` (about ten minutes, needs Go)"
    )


def kubectls(environ: Mapping[str, str] = os.environ) -> dict[str, Path]:
    """List every kubectl in the cache folder by its version, the oldest first."""
    root = cache_folder(KUBERNETES, environ).parent
    found = {p.parent.name: p for p in root.glob("*/kubectl") if os.access(p, os.X_OK)}
    return dict(sorted(found.items(), key=lambda item: [int(n) for n in item[0].split(".")]))


def _in(folder: Path, name: str) -> Path | None:
    path = folder / name
    return path if os.access(path, os.X_OK) else None
