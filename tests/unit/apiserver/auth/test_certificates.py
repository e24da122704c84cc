"""The server's own authority: what it makes, keeps and renews."""

import ssl
import stat
from datetime import timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from kedge.apiserver.auth.certificates import (
    CertificateError,
    Pki,
    folder_of,
    prepare,
    ssl_context,
)
from kedge.testing import FakeClock

FILES = [
    "admin.crt",
    "admin.key",
    "ca.crt",
    "ca.key",
    "server.crt",
    "server.key",
    "service-account.key",
]


def certificate(pki: Pki, name: str) -> x509.Certificate:
    return x509.load_pem_x509_certificate(pki.path(name).read_bytes())


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def addresses(pki: Pki) -> set[str]:
    found = certificate(pki, "server.crt").extensions.get_extension_for_class(
        x509.SubjectAlternativeName
    )
    return {str(name.value) for name in found.value}


def test_everything_is_made_once_and_is_private(tmp_path: Path, clock: FakeClock) -> None:
    folder = tmp_path / "data" / "pki"
    first = prepare(folder, clock)
    made = contents(folder)
    assert sorted(made) == FILES
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    second = prepare(folder, clock)
    assert contents(folder) == made
    assert first.signing_key.public_key() == second.signing_key.public_key()


def test_the_server_has_all_its_names(tmp_path: Path, clock: FakeClock) -> None:
    pki = prepare(tmp_path, clock)
    assert addresses(pki) == {
        "127.0.0.1",
        "::1",
        "localhost",
        "kubernetes",
        "kubernetes.default",
        "kubernetes.default.svc",
        "kubernetes.default.svc.cluster.local",
    }
    former = pki.path("server.key").read_bytes()
    more = prepare(tmp_path, clock, ["192.0.2.7", "kedge.example"])
    assert addresses(more) >= {"192.0.2.7", "kedge.example", "localhost"}
    assert more.path("server.key").read_bytes() == former
    fewer = prepare(tmp_path, clock)
    assert "kedge.example" in addresses(fewer)


def test_the_administrator_is_in_the_group_of_masters(tmp_path: Path, clock: FakeClock) -> None:
    subject = certificate(prepare(tmp_path, clock), "admin.crt").subject
    assert subject.rfc4514_string() == "CN=admin,O=system:masters"


def test_a_certificate_is_renewed_from_the_same_key_before_it_ends(
    tmp_path: Path, clock: FakeClock
) -> None:
    pki = prepare(tmp_path, clock)
    old = contents(tmp_path)
    clock.advance(timedelta(days=364))
    prepare(tmp_path, clock)
    assert contents(tmp_path) == old
    clock.advance(timedelta(days=3))
    prepare(tmp_path, clock)
    new = contents(tmp_path)
    assert {name for name in new if new[name] != old[name]} == {"server.crt", "admin.crt"}
    assert certificate(pki, "server.crt").not_valid_after_utc - clock.now() == timedelta(days=730)


def test_certificates_never_outlive_their_authority(tmp_path: Path, clock: FakeClock) -> None:
    pki = prepare(tmp_path, clock)
    old = certificate(pki, "ca.crt")
    for _ in range(12):
        clock.advance(timedelta(days=365))
        prepare(tmp_path, clock)
        authority = certificate(pki, "ca.crt")
        for name in ("server.crt", "admin.crt"):
            leaf = certificate(pki, name)
            assert clock.now() < leaf.not_valid_after_utc <= authority.not_valid_after_utc
            leaf.verify_directly_issued_by(authority)
    assert authority.public_key() == old.public_key()
    assert authority.serial_number != old.serial_number


@pytest.mark.parametrize("name", ["ca.crt", "server.crt", "admin.crt"])
def test_a_crash_before_a_certificate_was_written_heals(
    tmp_path: Path, clock: FakeClock, name: str
) -> None:
    pki = prepare(tmp_path, clock)
    pki.path(name).unlink()
    prepare(tmp_path, clock)
    certificate(pki, "server.crt").verify_directly_issued_by(certificate(pki, "ca.crt"))


def test_a_lost_authority_is_made_anew_with_all_that_hangs_on_it(
    tmp_path: Path, clock: FakeClock
) -> None:
    pki = prepare(tmp_path, clock)
    pki.path("ca.key").unlink()
    prepare(tmp_path, clock)
    for name in ("server.crt", "admin.crt"):
        certificate(pki, name).verify_directly_issued_by(certificate(pki, "ca.crt"))
    pki.path("admin.key").unlink()
    prepare(tmp_path, clock)
    ssl_context(pki).load_cert_chain(pki.path("admin.crt"), pki.path("admin.key"))


@pytest.mark.parametrize("name", ["ca.key", "ca.crt", "server.crt", "service-account.key"])
def test_a_file_that_is_not_what_it_should_be_is_named(
    tmp_path: Path, clock: FakeClock, name: str
) -> None:
    prepare(tmp_path, clock)
    (tmp_path / name).write_text("nonsense")
    with pytest.raises(CertificateError, match=name):
        prepare(tmp_path, clock)


def test_a_key_of_another_kind_is_named(tmp_path: Path, clock: FakeClock) -> None:
    key = rsa.generate_private_key(65537, 2048)
    data = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (tmp_path / "ca.key").write_bytes(data)
    with pytest.raises(CertificateError, match=r"ca\.key holds no key on an elliptic curve"):
        prepare(tmp_path, clock)


def test_the_folder_is_beside_the_data_or_goes_away() -> None:
    with folder_of("/data") as folder:
        assert folder == Path("/data/pki")
    with folder_of(":memory:") as folder:
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert not folder.exists()


def test_clients_may_show_a_certificate_and_need_not(tmp_path: Path, clock: FakeClock) -> None:
    context = ssl_context(prepare(tmp_path, clock))
    assert context.verify_mode is ssl.CERT_OPTIONAL
    assert context.minimum_version is ssl.TLSVersion.TLSv1_2
