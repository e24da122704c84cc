"""The user whom a client certificate names."""

from functools import lru_cache
from hashlib import sha256
from typing import Any, Final, Protocol
from weakref import WeakKeyDictionary

from cryptography import x509
from cryptography.x509.oid import NameOID

from kedge.apiserver.auth.users import CREDENTIAL_ID, User, authenticated

# Kubernetes' own identifier for a UID in the subject (KEP-4601).
UID: Final = x509.ObjectIdentifier("1.3.6.1.4.1.57683.2")


class Transport(Protocol):
    """A connection, as asyncio has it."""

    def get_extra_info(self, name: str) -> Any:
        """Tell what is known of the connection."""
        ...


class Peers:
    """Remembers whom each TLS connection belongs to, for as long as it is open."""

    def __init__(self) -> None:
        """Begin without connections."""
        self._users: WeakKeyDictionary[object, User | None] = WeakKeyDictionary()

    def user(self, transport: Transport) -> User | None:
        """Tell whose a connection is; None where the client showed no certificate."""
        connection = transport.get_extra_info("ssl_object")
        if connection is None:
            return None
        try:
            return self._users[connection]
        except KeyError:
            certificate = connection.getpeercert(True)
            user = None if certificate is None else user_of(certificate)
            self._users[connection] = user
            return user


@lru_cache(maxsize=1024)
def user_of(certificate: bytes) -> User | None:
    """Read a verified certificate in DER: common name, organizations as groups; or None."""
    subject = x509.load_der_x509_certificate(certificate).subject
    names = subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    if not names or not names[-1].value:
        return None
    uids = subject.get_attributes_for_oid(UID)
    organizations = subject.get_attributes_for_oid(NameOID.ORGANIZATION_NAME)
    return authenticated(
        User(
            _text(names[-1]),
            _text(uids[0]) if len(uids) == 1 else "",
            tuple(_text(one) for one in organizations),
            {CREDENTIAL_ID: (f"X509SHA256={sha256(certificate).hexdigest()}",)},
        )
    )


def _text(attribute: x509.NameAttribute[str | bytes]) -> str:
    value = attribute.value
    return value if isinstance(value, str) else value.decode("utf-8", "replace")
