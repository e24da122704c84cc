"""What a person is told before and after something is taken away. Pure."""

from collections.abc import Iterator

from kedge.api.prescaled.kind import PRE_SCALED_CRON_JOB
from kedge.cli.install.kinds import DEPLOYMENT
from kedge.cli.uninstall.survey import Data, Survey


def loss(found: Survey, *, crds: bool, namespace: bool) -> str:
    """Say what is lost for good, with numbers; nothing: nothing is."""
    lines = list(_lines(found, crds=crds, namespace=namespace))
    if not lines:
        return ""
    head = "You are about to uninstall Kedge, and to delete for good:\n"
    stays = "What is in the object storage stays as it is.\n"
    return head + "".join(f"  {line}\n" for line in lines) + stays


def _lines(found: Survey, *, crds: bool, namespace: bool) -> Iterator[str]:
    ours = [data for data in found.data if not data.left] if crds else []
    if ours:
        kinds = "1 kind" if len(ours) == 1 else f"{len(ours)} kinds"
        objects = sum(data.count for data in ours)
        yield f"{kinds} of ours, and {objects or 'no'} objects of them in all namespaces"
    for data in ours:
        if data.count:
            yield f"  {data.count} {data.kind}{_owned(data)}"
    if namespace and found.home is not None and not found.home_left:
        yield f"the namespace {found.namespace}, and all that is in it"


def _owned(data: Data) -> str:
    is_owner = data.kind.name == PRE_SCALED_CRON_JOB.name
    return ", with the CronJobs that they have made" if is_owner else ""


def kept(found: Survey, *, crds: bool, namespace: bool) -> list[tuple[str, str]]:
    """Name what is left although it was asked for, and why."""
    left = list(found.left)
    if crds:
        left += [
            (f"CustomResourceDefinition/{data.kind}", data.left) for data in found.data if data.left
        ]
    if namespace and found.home is not None and found.home_left:
        left.append((f"Namespace/{found.namespace}", found.home_left))
    return left


def farewell(found: Survey, *, crds: bool) -> str:
    """Say what became of it, and what stays."""
    is_there = any(kind is DEPLOYMENT for kind, _ in found.server)
    head = "Kedge is uninstalled." if is_there else f"No server is in {found.namespace} any more."
    if crds:
        return f"{head} What is in the object storage is as it was.\n"
    text = (
        f"{head} All Schedules, Backups and Restores stay, and what is in the object storage:"
        " `kedge install` goes on with them.\n"
    )
    held = sum(data.held for data in found.data)
    if held:
        has, they, homes = (
            ("1 object has", "it", "its namespace")
            if held == 1
            else (f"{held} objects have", "they", "their namespaces")
        )
        text += (
            f"{has} a finalizer: {they} can not be deleted before Kedge is installed again, nor can"
            f" {homes}. `kedge uninstall --delete-crds` takes the finalizers away.\n"
        )
    return text
