from datetime import timedelta
from pathlib import Path

import pytest

from kedge.client.where import ConfigError, explicit
from kedge.testing import FakeClock
from tests.unit.client.where.material import made

ONE = made("one")


@pytest.mark.asyncio
async def test_nothing_but_a_server_is_anonymous() -> None:
    access = explicit("https://host")
    login = await access.credentials.login()
    assert dict(login.headers) == {}
    assert login.tls is not None
    assert (access.namespace, access.proxy, access.server_name) == ("default", None, None)


@pytest.mark.asyncio
async def test_plain_http_has_no_tls_and_sends_what_was_given() -> None:
    login = await explicit("http://127.0.0.1:8001", token="t").credentials.login()
    assert login.tls is None
    assert login.headers["Authorization"] == "Bearer t"


@pytest.mark.parametrize(
    ("arguments", "server"),
    [
        ({}, "http://host:1"),
        ({"ca": ONE.certificate}, "https://host:1"),
        ({"insecure": True}, "https://host:1"),
        ({"certificate": ONE.certificate, "key": ONE.key}, "https://host:1"),
    ],
)
def test_a_bare_host_is_secure_if_anything_says_so(
    arguments: dict[str, object], server: str
) -> None:
    assert explicit("host:1", **arguments).server == server  # type: ignore[arg-type]


@pytest.mark.asyncio
async def test_files_are_read_again(tmp_path: Path) -> None:
    clock = FakeClock()
    paths = {name: tmp_path / name for name in ("ca", "certificate", "key", "token_file")}
    for name, path in paths.items():
        path.write_bytes(ONE.key if name == "key" else ONE.certificate)
    paths["token_file"].write_text("a")
    access = explicit("https://host", clock=clock, **paths)  # type: ignore[arg-type]
    first = await access.credentials.login()
    clock.advance(timedelta(minutes=1))
    assert await access.credentials.login() is first
    paths["token_file"].write_text("b")
    paths["key"].write_bytes(made("two").key)
    clock.advance(timedelta(minutes=1))
    second = await access.credentials.login()
    assert second.headers["Authorization"] == "Bearer b"
    assert second.tls is first.tls, "the key does not fit as long as its certificate is the old one"
    paths["certificate"].write_bytes(made("two").certificate)
    clock.advance(timedelta(minutes=1))
    assert (await access.credentials.login()).tls is not first.tls


def test_text_and_bytes_are_the_same() -> None:
    explicit("https://h", ca=ONE.certificate.decode(), certificate=ONE.certificate, key=ONE.key)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"insecure": True, "ca": ONE.certificate}, "insecure and ca exclude each other"),
        ({"certificate": ONE.certificate}, "certificate and key go together"),
        ({"key": ONE.key}, "certificate and key go together"),
        ({"ca": b""}, "^ca is empty"),
        ({"ca": b"x"}, "^ca must hold at least one certificate"),
        ({"ca": Path("/no")}, "^ca: cannot read /no"),
        ({"token_file": Path("/no")}, "^token_file: cannot read /no"),
        ({"token": "a\nb"}, "^token must not hold line ends"),
        ({"proxy": "socks5://p"}, "^proxy: socks5 proxies are not supported"),
    ],
)
def test_what_does_not_fit_is_named(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        explicit("https://host", **arguments)  # type: ignore[arg-type]


@pytest.mark.asyncio
async def test_a_user_in_the_url_is_sent_in_a_header() -> None:
    access = explicit("https://me:hunter2@host")
    assert (await access.credentials.login()).headers["Authorization"].startswith("Basic ")
    assert "hunter2" not in f"{access} {access!r} {access.server}"
