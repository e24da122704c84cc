"""What went wrong with a cluster in words, and what helps against it. Pure."""

from __future__ import annotations

from typing import Final

from kedge.api.nonadmin.group import GROUP as SELF_SERVICE
from kedge.api.velero.group import GROUP as VELERO
from kedge.client.errors import (
    BadAnswer,
    ClientError,
    DeadlineExceeded,
    Disconnected,
    Unreachable,
)
from kedge.kube.errors import (
    ApiError,
    Forbidden,
    InternalError,
    NotFound,
    ServiceUnavailable,
    Timeout,
    TooManyRequests,
    Unauthorized,
)

REACH: Final = "see that the cluster runs, and that --kubeconfig and --kubecontext name it"
AGAIN: Final = "try again in a moment; `kedge doctor` tells more"
LOGIN: Final = (
    "log in again, as the token or certificate in the kubeconfig may have expired, or name another"
    " user with --kubecontext"
)
ASK: Final = "ask an administrator for this right, or name another user with --kubecontext"
OWN: Final = "`kedge nab` backs up a namespace of your own"
EDITORS: Final = (
    "where Kedge is installed, those who may edit a namespace have this right in it: ask its"
    " administrator for the role edit, or name another namespace with -n, or another user with"
    " --kubecontext"
)
ONE_PLACE: Final = (
    "leave out --all-namespaces, and name a namespace of yours with -n, or another user with"
    " --kubecontext"
)
APPROVALS: Final = "nonadminbackupstoragelocationrequests"
"""The one kind of self-service that is the administrator's."""
EVERYWHERE: Final = "at the cluster scope"
"""What servers say of a right that no namespace gives."""
PLACE: Final = "name one that is there with -n"
SECURE: Final = "write https:// in front of the server in the kubeconfig"
PLAIN: Final = "HTTP request to an HTTPS server"
"""What servers written in Go say to somebody who does not encrypt."""
ABSENT: Final = "see with `kedge doctor` whether Kedge is installed there"
ANOTHER: Final = "see that the server in the kubeconfig is that of a Kubernetes cluster"
CERTIFICATES: Final = {
    "has expired": "have the cluster's certificate renewed, or see that this machine's clock is"
    " right",
    "not yet valid": "see that this machine's clock is right",
    "mismatch": "see that the server in the kubeconfig is named as in its certificate",
    "": "see that certificate-authority in the kubeconfig is that of this cluster",
}
"""By what is said of a certificate that is not trusted; the first that fits counts."""
MISSING_FILE: Final = "name one that is there with --kubeconfig or KUBECONFIG"


def told(error: ApiError | ClientError) -> str:
    """Say what went wrong."""
    if isinstance(error, Unauthorized):
        return f"the cluster does not accept who you are ({error.message or error.reason})"
    if isinstance(error, ClientError):
        return str(error)
    return error.message or error.reason or f"the server answered with code {error.code}"


def hint(error: ApiError | ClientError) -> str:
    """Say what helps; empty where the text says it already, or nobody knows."""
    if isinstance(error, Unreachable):
        return _reach(str(error))
    for kinds, text in (
        ((Disconnected, DeadlineExceeded), AGAIN),
        ((TooManyRequests, ServiceUnavailable, Timeout, InternalError), AGAIN),
        ((BadAnswer,), ANOTHER),
        ((Unauthorized,), LOGIN),
    ):
        if isinstance(error, kinds):
            return text
    if isinstance(error, ApiError):
        return _of_answer(error)
    text = str(error)
    is_file = text.startswith("kubeconfig ") and text.endswith("does not exist")
    return MISSING_FILE if is_file or "used without a kubeconfig: no kubeconfig" in text else ""


def _of_answer(error: ApiError) -> str:
    about = error.details or {}
    if isinstance(error, Forbidden):
        if about.get("group") == SELF_SERVICE and about.get("kind") != APPROVALS:
            return ONE_PLACE if EVERYWHERE in error.message else EDITORS
        return f"{ASK}; {OWN}" if about.get("group") == VELERO else ASK
    if isinstance(error, NotFound):
        if about.get("kind") == "namespaces":
            return PLACE
        return "" if about.get("name") else ABSENT
    return SECURE if PLAIN in error.message else ""


def explained(error: ApiError | ClientError) -> str:
    """Say both in one line."""
    return "; ".join(filter(None, (told(error), hint(error))))


def _reach(text: str) -> str:
    if "certificate" not in text:
        return REACH
    return next(fix for word, fix in CERTIFICATES.items() if word in text)
