"""Checks of who the caller is: a certificate that has expired opens no door."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from kedge.cli.doctor.finding import Finding, fail, ok, warn
from kedge.cli.durations import span

if TYPE_CHECKING:
    from kedge.client.where import Credentials

CHECK: Final = "certificate"
SOON: Final = timedelta(days=7)
"""Time enough to get another one."""
RENEW: Final = (
    "log in anew, or get a new kubeconfig from whoever made this one; --kubecontext names another"
    " user"
)


async def certificate(credentials: Credentials, present: datetime) -> AsyncIterator[Finding]:
    """See whether the client certificate of the kubeconfig is valid, where there is one."""
    from cryptography import x509

    from kedge.client import ClientError

    try:
        shown = (await credentials.login()).certificate
    except ClientError:
        return  # the next check tells what is wrong with it
    if not shown:
        return
    try:
        found = x509.load_pem_x509_certificate(shown)
    except ValueError:
        return  # it is the server that reads it, and says what it thinks
    yield _verdict(found.not_valid_before_utc, found.not_valid_after_utc, present)


def _verdict(begin: datetime, end: datetime, present: datetime) -> Finding:
    if present >= end:
        return fail(CHECK, f"your client certificate has expired {span(present - end)} ago", RENEW)
    if present < begin:
        # Whether it is the clock or the certificate, the cluster knows: the next check asks it.
        text = f"your client certificate is not valid yet, but in {span(begin - present)}"
        return warn(CHECK, text, "set this machine's clock if it is wrong, or wait")
    if end - present < SOON:
        return warn(CHECK, f"your client certificate expires in {span(end - present)}", RENEW)
    return ok(CHECK, f"your client certificate is valid for {span(end - present)} more")
