"""Where a program looks for its cluster when it is told nothing, or little."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from kedge.aio.clock import Clock
from kedge.client.where.access import Access
from kedge.client.where.choose import Overrides
from kedge.client.where.errors import ConfigError, NothingConfigured
from kedge.client.where.local import NOTHING, from_kubeconfig
from kedge.client.where.pod import ROOT, in_cluster


def find(
    kubeconfig: Path | None = None,
    *,
    context: str | None = None,
    overrides: Overrides = NOTHING,
    environ: Mapping[str, str],
    clock: Clock,
    root: Path = ROOT,
) -> Access:
    """Look in the kubeconfig that is named, in KUBECONFIG or ~/.kube/config, then around the pod.

    Raises ConfigError: what was found is wrong, or NothingConfigured: nothing was found.
    """
    paths = None if kubeconfig is None else [kubeconfig]
    tried = []
    try:
        return from_kubeconfig(
            paths, context=context, overrides=overrides, environ=environ, clock=clock
        )
    except NothingConfigured as exc:
        if kubeconfig is not None:
            raise
        tried.append(str(exc))
    wanted = [*(["context"] if context else ()), *overrides.set_fields()]
    beyond = ", ".join(name for name in wanted if name != "namespace")
    if beyond:
        raise ConfigError(f"{beyond} cannot be used without a kubeconfig: {tried[0]}")
    try:
        found = in_cluster(environ=environ, clock=clock, root=root)
    except NothingConfigured as exc:
        tried.append(str(exc))
    else:
        return replace(found, namespace=overrides.namespace or found.namespace)
    raise NothingConfigured(
        f"no cluster found ({'; '.join(tried)}); name a file with --kubeconfig or KUBECONFIG,"
        " put one at ~/.kube/config, or run in a pod with a service account"
    )
