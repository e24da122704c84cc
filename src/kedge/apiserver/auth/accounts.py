"""Service-account tokens: what they claim, and whether what they claim still holds."""

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from kedge.aio.clock import Clock
from kedge.apiserver.auth.jwt import Claims, SignatureError, Signer
from kedge.apiserver.auth.rules import quoted
from kedge.apiserver.auth.users import (
    CREDENTIAL_ID,
    NODE_NAME,
    NODE_UID,
    POD_NAME,
    POD_UID,
    User,
    account_groups,
    account_name,
    authenticated,
)

ISSUER: Final = "https://kubernetes.default.svc"
PRIVATE: Final = "kubernetes.io"
LEEWAY: Final = timedelta(minutes=1)
MAX_KNOWN: Final = 4_096
INVALIDATED: Final = "service account token has been invalidated"
# What a token may be bound to: the claim, and the resource it is.
BOUND: Final = {"secret": "secrets", "pod": "pods", "node": "nodes"}

Object = Mapping[str, Any]
Lookup = Callable[[str, str, str], Object | None]
"""Gives the object of a core resource (`serviceaccounts`, namespace, name), or None."""


class TokenError(Exception):
    """The token is ours and not valid (any more); the text is what a TokenReview tells."""


@dataclass(frozen=True, slots=True)
class Authenticated:
    """Whom a token names, and for which audiences."""

    user: User
    audiences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Binding:
    """What a token hangs on beside its account: a secret, a node, or a pod (with its node)."""

    pod: Object | None = None
    secret: Object | None = None
    node: Object | None = None


class Accounts:
    """Makes service-account tokens and checks them against what is stored."""

    def __init__(self, signer: Signer, clock: Clock, lookup: Lookup) -> None:
        """Sign and check with this key; `lookup` reads what is stored."""
        self._signer = signer
        self._clock = clock
        self._lookup = lookup
        self.audiences = (signer.issuer,)
        # Checking a signature costs more than a request may, so tokens seen before are known.
        self._known: dict[str, tuple[Claims, User]] = {}

    def issue(
        self,
        account: Object,
        audiences: Sequence[str],
        seconds: int,
        binding: Binding,
        warn_after: int = 0,
    ) -> str:
        """Make a token for a service account; `warn_after` seconds it should have been renewed."""
        now = self._clock.now()
        metadata = account["metadata"]
        private: dict[str, Any] = {"namespace": metadata["namespace"]}
        objects = {"pod": binding.pod, "secret": binding.secret, "node": binding.node}
        private.update((name, _reference(obj)) for name, obj in objects.items() if obj is not None)
        private["serviceaccount"] = _reference(account)
        if warn_after:
            private["warnafter"] = int(now.timestamp()) + warn_after
        issued = int(now.timestamp())
        return self._signer.sign(
            {
                "aud": list(audiences),
                "exp": issued + seconds,
                "iat": issued,
                "jti": str(uuid.uuid4()),
                "nbf": issued,
                "sub": account_name(metadata["namespace"], metadata["name"]),
                PRIVATE: private,
            }
        )

    def authenticate(self, token: str, audiences: Sequence[str]) -> Authenticated | None:
        """Tell whom a token names; None where it is none of ours. Raises TokenError."""
        known = self._known.get(token)
        if known is None:
            try:
                claims = self._signer.read(token)
            except SignatureError as exc:
                raise TokenError(str(exc)) from exc
            if claims is None:
                return None
            if len(self._known) >= MAX_KNOWN:
                self._known.clear()
            known = self._known[token] = (claims, _user(claims))
        claims, user = known
        given = claims.get("aud") or list(self.audiences)
        shared = tuple(one for one in audiences if one in given)
        if not shared:
            wanted = quoted(audiences)
            raise TokenError(
                f"token audiences {quoted(given)} is invalid for the target audiences {wanted}"
            )
        now = self._clock.now()
        _check_times(claims, now)
        self._check_account(claims[PRIVATE], now)
        self._check_bound(claims[PRIVATE], now)
        return Authenticated(user, shared)

    def _check_account(self, private: Claims, now: datetime) -> None:
        namespace, claim = private["namespace"], private["serviceaccount"]
        account = self._lookup("serviceaccounts", namespace, claim["name"])
        if account is None:
            raise TokenError(f'serviceaccounts "{claim["name"]}" not found')
        uid = account["metadata"]["uid"]
        if uid != claim["uid"]:
            raise TokenError(f"service account UID ({uid}) does not match claim ({claim['uid']})")
        if _is_deleted(account, now):
            raise TokenError(f"service account {namespace}/{claim['name']} has been deleted")

    def _check_bound(self, private: Claims, now: datetime) -> None:
        for name, plural in BOUND.items():
            claim = private.get(name)
            # The node of a pod is told, and not checked.
            if claim is None or (name == "node" and "pod" in private):
                continue
            namespace = "" if name == "node" else private["namespace"]
            obj = self._lookup(plural, namespace, claim["name"])
            if obj is None:
                raise TokenError(INVALIDATED)
            uid = obj["metadata"]["uid"]
            if uid != claim["uid"]:
                claimed = f"service account {name} ref claim ({claim['uid']})"
                raise TokenError(f"{name} UID ({uid}) does not match {claimed}")
            if _is_deleted(obj, now):
                raise TokenError(INVALIDATED)


def _user(claims: Claims) -> User:
    private = claims[PRIVATE]
    account, pod, node = private["serviceaccount"], private.get("pod"), private.get("node")
    extra: dict[str, tuple[str, ...]] = {CREDENTIAL_ID: (f"JTI={claims['jti']}",)}
    if pod:
        extra[POD_NAME], extra[POD_UID] = (pod["name"],), (pod["uid"],)
    if node:
        extra[NODE_NAME] = (node["name"],)
        if "uid" in node:
            extra[NODE_UID] = (node["uid"],)
    namespace = private["namespace"]
    name = account_name(namespace, account["name"])
    return authenticated(User(name, account["uid"], account_groups(namespace), extra))


def _reference(obj: Object) -> dict[str, str]:
    metadata = obj["metadata"]
    return {key: metadata[key] for key in ("name", "uid") if metadata.get(key)}


def _check_times(claims: Claims, now: datetime) -> None:
    instant, leeway = now.timestamp(), LEEWAY.total_seconds()
    if instant + leeway < claims["nbf"]:
        raise TokenError("service account token is not valid yet")
    if instant - leeway > claims["exp"]:
        raise TokenError("service account token has expired")


def _is_deleted(obj: Object, now: datetime) -> bool:
    text = obj["metadata"].get("deletionTimestamp")
    return text is not None and datetime.fromisoformat(text) < now - LEEWAY
