"""What goes wrong while an installation is applied: which object, why, and what helps."""

from typing import Final

from kedge.cli.install.kinds import OLDEST
from kedge.client import ClientError, DeadlineExceeded, Disconnected, Unreachable
from kedge.kube.errors import ApiError, Forbidden, Invalid, NotFound, Unauthorized
from kedge.kube.foreign import cut
from kedge.kube.kind import Object

TERMINATING: Final = "NamespaceTerminating"
"""The cause that the Status names where nothing can be created any more."""
AS_ADMIN: Final = (
    "install as a cluster admin (--kubecontext), or have one apply what"
    " `kedge install --dry-run -o yaml` prints"
)


class InstallError(Exception):
    """An installation stopped; the text names the object and the fix."""


def label_of(obj: Object) -> str:
    """Name an object as the lines of an installation do."""
    return f"{obj['kind']}/{obj['metadata']['name']}"


def failure(label: str, error: ApiError | ClientError, denied: str = AS_ADMIN) -> InstallError:
    """Say what helps against an error that an object met; `denied` helps who lacks a right."""
    fix = _fix(error, denied)
    return InstallError(f"{label}: {cut(str(error))}" + (f"; {fix}" if fix else ""))


def _fix(error: ApiError | ClientError, denied: str) -> str:
    match error:
        case Forbidden() if is_terminating(error):
            return "wait until the namespace is gone, and install again"
        case Forbidden():
            return denied
        case Unauthorized():
            return "log in to the cluster again, or name another user with --kubecontext"
        case Invalid() if "immutable" in error.message:
            return "it was made by something else: delete it, and install again"
        case NotFound():
            oldest = ".".join(map(str, OLDEST))
            return f"the cluster does not serve this kind; Kubernetes {oldest} or newer is needed"
        case Unreachable() | Disconnected() | DeadlineExceeded():
            return "see that --kubeconfig and --kubecontext name a cluster that runs"
    return ""


def is_terminating(error: ApiError) -> bool:
    """Tell whether it is refused because its namespace is being deleted."""
    causes = (error.details or {}).get("causes") or ()
    return any(cause.get("reason") == TERMINATING for cause in causes)
