"""Each thing that goes wrong with a cluster is one line, and says what helps."""

import pytest

from kedge.cli.hints import (
    ABSENT,
    AGAIN,
    ANOTHER,
    APPROVALS,
    ASK,
    CERTIFICATES,
    EDITORS,
    LOGIN,
    MISSING_FILE,
    ONE_PLACE,
    OWN,
    PLACE,
    REACH,
    SECURE,
    explained,
)
from kedge.client.errors import (
    BadAnswer,
    ClientError,
    DeadlineExceeded,
    Disconnected,
    Unreachable,
)
from kedge.client.where import ConfigError, NothingConfigured
from kedge.kube.errors import (
    AlreadyExists,
    ApiError,
    BadRequest,
    Forbidden,
    NotFound,
    ServiceUnavailable,
    TooManyRequests,
    Unauthorized,
)

SERVER = "https://10.0.0.1:6443 can not be reached: "
UNTRUSTED = f"{SERVER}its certificate is not trusted: "


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (Unreachable(f"{SERVER}connection refused"), f"{SERVER}connection refused; {REACH}"),
        (
            Unreachable(f"{UNTRUSTED}certificate has expired"),
            f"{UNTRUSTED}certificate has expired; {CERTIFICATES['has expired']}",
        ),
        (
            Unreachable(f"{UNTRUSTED}certificate is not yet valid"),
            f"{UNTRUSTED}certificate is not yet valid; {CERTIFICATES['not yet valid']}",
        ),
        (
            Unreachable(f"{UNTRUSTED}Hostname mismatch, certificate is not valid for 'x'"),
            f"{UNTRUSTED}Hostname mismatch, certificate is not valid for 'x'; "
            f"{CERTIFICATES['mismatch']}",
        ),
        (
            Unreachable(f"{UNTRUSTED}self-signed certificate in certificate chain"),
            f"{UNTRUSTED}self-signed certificate in certificate chain; {CERTIFICATES['']}",
        ),
        (Disconnected("it broke"), f"it broke; {AGAIN}"),
        (DeadlineExceeded("no answer"), f"no answer; {AGAIN}"),
        (BadAnswer("a web page"), f"a web page; {ANOTHER}"),
        (
            Unauthorized("Unauthorized"),
            f"the cluster does not accept who you are (Unauthorized); {LOGIN}",
        ),
        (
            Forbidden('backups is forbidden: User "x" cannot list'),
            f'backups is forbidden: User "x" cannot list; {ASK}',
        ),
        (
            Forbidden("backups.velero.io is forbidden", {"group": "velero.io"}),
            f"backups.velero.io is forbidden; {ASK}; {OWN}",
        ),
        (
            Forbidden("nonadminbackups is forbidden", {"group": "oadp.openshift.io"}),
            f"nonadminbackups is forbidden; {EDITORS}",
        ),
        (
            Forbidden("no", {"group": "oadp.openshift.io", "kind": APPROVALS}),
            f"no; {ASK}",
        ),
        (
            Forbidden("can not list at the cluster scope", {"group": "oadp.openshift.io"}),
            f"can not list at the cluster scope; {ONE_PLACE}",
        ),
        (
            NotFound('namespaces "x" not found', {"kind": "namespaces", "name": "x"}),
            f'namespaces "x" not found; {PLACE}',
        ),
        (
            BadRequest("Client sent an HTTP request to an HTTPS server."),
            f"Client sent an HTTP request to an HTTPS server.; {SECURE}",
        ),
        (NotFound("the server could not find it"), f"the server could not find it; {ABSENT}"),
        (NotFound('backups "x" not found', {"name": "x"}), 'backups "x" not found'),
        (TooManyRequests("slow down"), f"slow down; {AGAIN}"),
        (ServiceUnavailable(""), f"ServiceUnavailable; {AGAIN}"),
        (AlreadyExists('backups "x" already exists'), 'backups "x" already exists'),
        (
            ConfigError("kubeconfig /x does not exist"),
            f"kubeconfig /x does not exist; {MISSING_FILE}",
        ),
        (ConfigError("context 'a' does not exist; there are: b"),) * 2,
        (NothingConfigured("no cluster found; name a file with --kubeconfig"),) * 2,
    ],
)
def test_an_error_is_one_line_with_what_helps(
    error: ApiError | ClientError, line: str | Exception
) -> None:
    assert explained(error) == str(line)
    assert "\n" not in explained(error)
