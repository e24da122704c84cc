"""The user of a client certificate, over a real TLS connection."""

import asyncio
import hashlib
import ssl
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from kedge.aio.clock import SystemClock
from kedge.apiserver.auth.certificates import Pki, prepare, ssl_context
from kedge.apiserver.auth.peer import UID, Peers, user_of
from kedge.apiserver.auth.users import User
from kedge.testing import FakeClock


def der(clock: FakeClock, *attributes: tuple[x509.ObjectIdentifier, str]) -> bytes:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(kind, value) for kind, value in attributes])
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name)
    builder = builder.public_key(key.public_key()).serial_number(1)
    builder = builder.not_valid_before(clock.now()).not_valid_after(clock.now())
    return builder.sign(key, SHA256()).public_bytes(Encoding.DER)


def test_name_groups_and_uid_are_in_the_subject(clock: FakeClock) -> None:
    certificate = der(
        clock,
        (NameOID.ORGANIZATION_NAME, "a"),
        (NameOID.ORGANIZATION_NAME, "b"),
        (NameOID.COMMON_NAME, "first"),
        (NameOID.COMMON_NAME, "eve"),
        (UID, "7"),
    )
    fingerprint = hashlib.sha256(certificate).hexdigest()
    assert user_of(certificate) == User(
        "eve",
        "7",
        ("a", "b", "system:authenticated"),
        {"authentication.kubernetes.io/credential-id": (f"X509SHA256={fingerprint}",)},
    )


def test_without_a_name_there_is_no_user(clock: FakeClock) -> None:
    assert user_of(der(clock, (NameOID.ORGANIZATION_NAME, "a"))) is None


async def meet(pki: Pki, *, shown: bool) -> list[User | None]:
    """Connect with or without the administrator's certificate, and see who that is, twice."""
    peers, found = Peers(), asyncio.Queue[User | None](2)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await found.put(peers.user(writer.transport))
        await found.put(peers.user(writer.transport))
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=ssl_context(pki))
    context = ssl.create_default_context(cafile=pki.path("ca.crt"))
    context.verify_flags |= ssl.VERIFY_X509_STRICT
    if shown:
        context.load_cert_chain(pki.path("admin.crt"), pki.path("admin.key"))
    async with server:
        port = server.sockets[0].getsockname()[1]
        _, writer = await asyncio.open_connection("localhost", port, ssl=context)
        users = [await found.get(), await found.get()]
        writer.close()
        await writer.wait_closed()
    return users


@pytest.mark.asyncio
async def test_a_connection_knows_its_user(tmp_path: Path) -> None:
    pki = prepare(tmp_path, SystemClock())
    admin, again = await meet(pki, shown=True)
    assert admin is not None
    assert admin is again
    assert (admin.name, admin.groups) == ("admin", ("system:masters", "system:authenticated"))
    assert await meet(pki, shown=False) == [None, None]


def test_a_connection_without_tls_has_no_user() -> None:
    class Plain:
        def get_extra_info(self, name: str) -> None:
            assert name == "ssl_object"

    assert Peers().user(Plain()) is None
