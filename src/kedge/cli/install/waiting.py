"""Waits until a cluster has done its part: kinds are served, pods run."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from kedge.aio.clock import Clock
from kedge.cli.install.failure import AS_ADMIN, InstallError, failure
from kedge.cli.install.kinds import CRD, DEPLOYMENT
from kedge.cli.install.names import NAME, SELECTOR
from kedge.client import Client, ClientError
from kedge.kube.conditions import find_condition, is_condition
from kedge.kube.errors import ApiError
from kedge.kube.kind import Object

ESTABLISHED_SECONDS: Final = 60.0
LOOK_SECONDS: Final = 0.2
"""Between two looks: a person waits, and the server has few others to serve at this time."""


async def established(
    client: Client, names: Sequence[str], look_seconds: float = LOOK_SECONDS
) -> None:
    """Wait until the objects of these CRDs can be made; raises InstallError."""
    end = client.clock.monotonic() + ESTABLISHED_SECONDS
    for name in names:
        label = f"CustomResourceDefinition/{name}"

        async def missing(name: str = name, label: str = label) -> str:
            crd = await client.get(CRD, name)
            return unserved(crd, label)

        await until(missing, label, client.clock, end, look_seconds)


async def rolled_out(client: Client, namespace: str, seconds: float) -> None:
    """Wait until all pods of the Deployment are the new ones and ready; raises InstallError."""
    label = f"Deployment/{NAME}"

    async def missing() -> str:
        return unready(await client.get(DEPLOYMENT, NAME, namespace), label, namespace)

    end = client.clock.monotonic() + seconds
    await until(missing, label, client.clock, end)


async def until(
    missing: Callable[[], Awaitable[str]],
    label: str,
    clock: Clock,
    end: float,
    look_seconds: float = LOOK_SECONDS,
    denied: str = AS_ADMIN,
) -> None:
    """Ask until nothing is missing; raises InstallError when the time is over."""
    while True:
        try:
            what = await missing()
        except (ApiError, ClientError) as error:
            raise failure(label, error, denied) from error
        if not what:
            return
        if clock.monotonic() >= end:
            raise InstallError(f"{label}: {what}")
        await clock.sleep(look_seconds)


def unserved(crd: Object, label: str) -> str:
    """Say what a CRD lacks; raises InstallError where it will never be served."""
    conditions = (crd.get("status") or {}).get("conditions")
    if is_condition(conditions, "Established"):
        return ""
    names = find_condition(conditions, "NamesAccepted")
    if names is not None and names.get("status") == "False":
        why = names.get("message", "")
        raise InstallError(f"{label}: its names are taken ({why}); delete the CRD that has them")
    return "the cluster does not serve it yet; look at its conditions, and install again"


def unready(deployment: Object, label: str, namespace: str) -> str:
    """Say what a Deployment lacks, by the rules of `kubectl rollout status`.

    Raises InstallError where the cluster has given up.
    """
    wanted = deployment["spec"].get("replicas", 1)
    status = deployment.get("status") or {}
    look = f"see `kubectl describe pods -n {namespace} -l {SELECTOR}`"
    progress = find_condition(status.get("conditions"), "Progressing")
    if progress is not None and progress.get("reason") == "ProgressDeadlineExceeded":
        raise InstallError(f"{label}: its pods do not become ready; {look}")
    if status.get("observedGeneration", 0) < deployment["metadata"].get("generation", 0):
        return f"the cluster has not taken it up yet; {look}"
    new, ready = status.get("updatedReplicas", 0), status.get("availableReplicas", 0)
    if new < wanted or ready < wanted or status.get("replicas", 0) > new:
        return f"{min(new, ready)} of {wanted} pods are new and ready; {look}"
    return ""
