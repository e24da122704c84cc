"""Secrets as the controller follows them: which version there is, never what is in it."""

from typing import Final

from kedge.kube.kind import plain

SECRETS: Final = plain("v1", "Secret", "secrets").partial
