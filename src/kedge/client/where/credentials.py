"""Who we are, put together: proof of it, the authorities to trust, and whom to act as."""

import ssl
from dataclasses import dataclass, field
from typing import Protocol

from multidict import CIMultiDict

from kedge.client.where import headers, tls
from kedge.client.where.access import Login
from kedge.client.where.files import Reread


@dataclass(frozen=True, slots=True, eq=False)
class Proof:
    """What proves who we are, at one time; a new object whenever it changes."""

    authorization: str | None = field(default=None, repr=False)
    """Value of the header."""
    pair: tls.Pair | None = None


class Source(Protocol):
    """Where proof comes from."""

    async def proof(self) -> Proof:
        """Give the proof; the same object until it changes. Raises ConfigError."""

    def refused(self, proof: Proof) -> bool:
        """Forget this proof, as it was refused; tell whether there may be another."""


class Authorization(Protocol):
    """Where the Authorization header comes from."""

    async def value(self) -> str | None:
        """Give the value to send, if any. Raises ConfigError."""

    def refused(self, value: str | None) -> bool:
        """Forget this value, as it was refused; tell whether there may be another."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """A header that never changes, or none."""

    header: str | None = field(default=None, repr=False)

    async def value(self) -> str | None:
        """Give what was given."""
        return self.header

    def refused(self, value: str | None) -> bool:
        """Admit that there is nothing else."""
        return False


class FromFile:
    """A bearer token in a file that is read again; a token that was given stands in for it."""

    def __init__(self, header: Reread[str]) -> None:
        """Send what the file has."""
        self._header = header

    async def value(self) -> str | None:
        """Give the last good token of the file."""
        return self._header.value()

    def refused(self, value: str | None) -> bool:
        """Read the file at once; tell whether there is another token than this."""
        self._header.look()
        return self._header.value() != value


class Given:
    """Proof that needs no program to fetch it: a header, a certificate, both, or none."""

    def __init__(
        self, authorization: Authorization | None = None, pair: Reread[tls.Pair] | None = None
    ) -> None:
        """Take what there is."""
        self._authorization = authorization or Fixed()
        self._pair = pair
        self._proof: Proof | None = None

    async def proof(self) -> Proof:
        """Give the header and the certificate."""
        header = await self._authorization.value()
        pair = self._pair.value() if self._pair else None
        last = self._proof
        if last is None or last.authorization != header or last.pair is not pair:
            last = self._proof = Proof(header, pair)
        return last

    def refused(self, proof: Proof) -> bool:
        """Look for another header, another certificate."""
        renewed = self._authorization.refused(proof.authorization)
        return (self._pair is not None and self._pair.look()) or renewed


class Standing:
    """Credentials of a client: cheap to ask, and the same as long as nothing changed."""

    def __init__(
        self, source: Source, roots: Reread[tls.Roots] | None, acting_as: CIMultiDict[str]
    ) -> None:
        """Prove by the source; without roots there is no TLS."""
        self._source = source
        self._roots = roots
        self._acting_as = acting_as
        self._proof: Proof | None = None
        self._trusted: tls.Roots | None = None
        self._login: Login | None = None

    def __repr__(self) -> str:
        """Tell the kind of credentials only."""
        return f"Standing({type(self._source).__name__})"

    async def login(self) -> Login:
        """Give what to send; the same object if nothing changed."""
        proof = await self._source.proof()
        trusted = self._roots.value() if self._roots else None
        last = self._login
        if last is not None and proof is self._proof and trusted is self._trusted:
            return last
        context = self._context(proof, trusted)
        shown = proof.pair.certificate if proof.pair else b""
        login = Login(headers.together(proof.authorization, self._acting_as), context, shown)
        self._proof, self._trusted, self._login = proof, trusted, login
        return login

    def refused(self, login: Login | None = None) -> bool:
        """Forget the login if it is the last; tell whether another try may help."""
        if self._proof is None or (login is not None and login is not self._login):
            return True
        return self._source.refused(self._proof)

    def _context(self, proof: Proof, trusted: tls.Roots | None) -> ssl.SSLContext | None:
        if trusted is None:
            return None
        last = self._login.tls if self._login else None
        same_pair = self._proof is not None and self._proof.pair == proof.pair
        if last is not None and trusted is self._trusted and same_pair:
            return last
        return tls.context(trusted, proof.pair)
