"""From credentials to a user: a client certificate, else a bearer token, else nobody."""

from collections.abc import Mapping, Sequence
from typing import Final

from kedge.apiserver.auth.accounts import Accounts, Authenticated, TokenError
from kedge.apiserver.auth.users import NOBODY, User
from kedge.kube.errors import Unauthorized

SPACE_WARNING: Final = (
    "the provided Authorization header contains extra space before the bearer token, and is ignored"
)
UNKNOWN: Final = "invalid bearer token"


class Authenticator:
    """Knows the tokens of users and of service accounts."""

    def __init__(self, tokens: Mapping[str, User], accounts: Accounts) -> None:
        """Take these tokens as they are, and the service accounts' after a check."""
        self._tokens = tokens
        self._accounts = accounts
        self.audiences = accounts.audiences

    def authenticate(self, certificate: User | None, header: str, warnings: list[str]) -> User:
        """Tell who asks: the user of the connection's certificate, or of the Authorization header.

        No token at all is anonymous; raises Unauthorized where there is one that is not valid.
        """
        if certificate is not None:
            return certificate
        if not header:
            return NOBODY
        token = bearer(header, warnings)
        if not token:
            return NOBODY
        try:
            return self.token(token, self.audiences).user
        except TokenError as exc:
            raise Unauthorized("Unauthorized") from exc

    def token(self, token: str, audiences: Sequence[str]) -> Authenticated:
        """Tell whom a token names, for these audiences; the text of a TokenError is for reviews."""
        user = self._tokens.get(token)
        if user is not None:
            # A plain token is good for the server itself only.
            shared = tuple(one for one in audiences if one in self.audiences)
            if shared:
                return Authenticated(user, shared)
            raise TokenError(UNKNOWN)
        try:
            found = self._accounts.authenticate(token, audiences)
        except TokenError as exc:
            raise TokenError(f"[{UNKNOWN}, {exc}]") from exc
        if found is None:
            raise TokenError(UNKNOWN)
        return found

    def review(self, token: str, audiences: Sequence[str]) -> Authenticated:
        """Tell whom a token names as TokenReview does: it puts the token in a header."""
        named = bearer(f"Bearer {token}", [])
        if not named:
            # No token at all: nobody in particular, for whatever audience.
            return Authenticated(NOBODY, tuple(audiences))
        return self.token(named, audiences)


def bearer(header: str, warnings: list[str]) -> str:
    """Read the token in an Authorization header; empty where there is none."""
    scheme, _, rest = header.strip().partition(" ")
    if scheme.lower() != "bearer":
        return ""
    token, space, _ = rest.partition(" ")
    if not token and space:
        warnings.append(SPACE_WARNING)
    return token
