"""Impersonation: a user who may acts as another one."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple, Protocol
from urllib.parse import unquote

from kedge.apiserver.auth.attributes import HTML, Attributes, forbidden
from kedge.apiserver.auth.rbac import Authorizer
from kedge.apiserver.auth.users import (
    ANONYMOUS,
    AUTHENTICATED,
    UNAUTHENTICATED,
    User,
    account_groups,
    split_account,
)
from kedge.kube.gotext import quote

PREFIX: Final = "impersonate-"
USER: Final = "Impersonate-User"
GROUP: Final = "Impersonate-Group"
UID: Final = "Impersonate-Uid"
EXTRA: Final = "impersonate-extra-"
AUTHENTICATION: Final = "authentication.k8s.io"
_BAD_ESCAPE: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")


class Headers(Protocol):
    """Headers of a request, in their order, by name without regard to case."""

    def __iter__(self) -> Iterator[str]:
        """Go through the names, one for each line."""
        ...

    def getall(self, key: str, default: list[str]) -> list[str]:
        """All values of one name."""
        ...


class ImpersonationError(Exception):
    """The headers make no sense; Kubernetes answers 500 with plain text."""

    def text(self, uri: str) -> str:
        """Write the body of the answer to a request for this path and query."""
        return f"Internal Server Error: {quote(uri)}: {self}\n".translate(HTML)


class _Claim(NamedTuple):
    """One thing to be: shown as Kubernetes' ObjectReference is in a message."""

    kind: str
    name: str
    namespace: str = ""
    key: str = ""

    @property
    def group(self) -> str:
        return AUTHENTICATION if self.kind in ("UserExtra", "UID") else ""

    @property
    def resource(self) -> str:
        return f"{self.kind.lower()}s"

    def __str__(self) -> str:
        version = f"{self.group}/v1" if self.group else ""
        return f"{{{self.kind} {self.namespace} {self.name}  {version}  {self.key}}}"


def impersonated(headers: Headers, user: User, authorizer: Authorizer) -> User:
    """Tell as whom to act: another user if the headers say so, and if this one may."""
    # One search in all names: nearly every request ends here.
    if PREFIX not in ",".join(headers).lower():
        return user
    names = [name for name in headers if name[: len(PREFIX)].lower() == PREFIX]
    claims = _claims(headers, names)
    for claim in claims:
        wish = Attributes(
            user,
            "impersonate",
            claim.namespace,
            claim.group,
            "v1",
            claim.resource,
            claim.key,
            claim.name,
        )
        decision = authorizer.authorize(wish)
        if not decision.allowed:
            raise forbidden(wish, decision.reason)
    return _assumed(claims, headers) if claims else user


def _claims(headers: Headers, names: list[str]) -> list[_Claim]:
    claims = []
    wanted = headers.getall(USER, [""])[0]
    if wanted:
        account = split_account(wanted)
        if account is None:
            claims.append(_Claim("User", wanted))
        else:
            claims.append(_Claim("ServiceAccount", account[1], account[0]))
    claims.extend(_Claim("Group", group) for group in headers.getall(GROUP, []))
    for name in dict.fromkeys(name.lower() for name in names):
        if name.startswith(EXTRA):
            key = _unescaped(name[len(EXTRA) :])
            claims.extend(_Claim("UserExtra", value, key=key) for value in headers.getall(name, []))
    uid = headers.getall(UID, [""])[0]
    if uid:
        claims.append(_Claim("UID", uid))
    if claims and not wanted:
        shown = " ".join(map(str, claims))
        raise ImpersonationError(f"requested [{shown}] without impersonating a user")
    return claims


def _assumed(claims: list[_Claim], headers: Headers) -> User:
    name = headers.getall(USER, [""])[0]
    groups = [claim.name for claim in claims if claim.kind == "Group"]
    if claims[0].kind == "ServiceAccount" and not groups:
        groups.extend(account_groups(claims[0].namespace))
    if name == ANONYMOUS:
        if UNAUTHENTICATED not in groups:
            groups.append(UNAUTHENTICATED)
    elif AUTHENTICATED not in groups and UNAUTHENTICATED not in groups:
        groups.append(AUTHENTICATED)
    extra: dict[str, tuple[str, ...]] = {}
    uid = ""
    for claim in claims:
        if claim.kind == "UserExtra":
            extra[claim.key] = (*extra.get(claim.key, ()), claim.name)
        elif claim.kind == "UID":
            uid = claim.name
    return User(name, uid, tuple(groups), extra)


def _unescaped(key: str) -> str:
    """Undo percent-encoding; a key that is not well encoded is taken as it is."""
    return key if _BAD_ESCAPE.search(key) else unquote(key, errors="replace")
