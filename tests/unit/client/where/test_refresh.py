import json
from collections.abc import Mapping
from typing import Any

import pytest

from kedge.client.where.errors import LoginFailed
from kedge.client.where.refresh import refresh
from kedge.client.where.web import Answer

CONFIG = {
    "idp-issuer-url": "https://idp/realm/",
    "client-id": "me",
    "client-secret": "hush",
    "refresh-token": "hunter2",
    "extra-scopes": "groups",
}
DISCOVERY = {"token_endpoint": "https://idp/token"}


class Idp:
    """Answers in turn, and remembers what it was asked."""

    def __init__(self, found: Any, *answers: tuple[int, Any], status: int = 200) -> None:
        self.found = Answer(status, _body(found))
        self.answers = [Answer(status, _body(body)) for status, body in answers]
        self.asked: list[tuple[str, dict[str, str], str | None]] = []
        self.discovered = ""

    async def get(self, url: str) -> Answer:
        self.discovered = url
        return self.found

    async def post(self, url: str, form: Mapping[str, str], authorization: str | None) -> Answer:
        self.asked.append((url, dict(form), authorization))
        return self.answers.pop(0)


def _body(value: Any) -> bytes:
    return value if isinstance(value, bytes) else json.dumps(value).encode()


@pytest.mark.asyncio
async def test_a_refresh_token_is_traded() -> None:
    idp = Idp(DISCOVERY, (200, {"id_token": "new", "refresh_token": "next"}))
    changes = await refresh(CONFIG, idp, "config")
    assert changes == {"id-token": "new", "refresh-token": "next"}
    assert idp.discovered == "https://idp/realm/.well-known/openid-configuration"
    form = {"grant_type": "refresh_token", "refresh_token": "hunter2"}
    assert idp.asked == [("https://idp/token", form, "Basic bWU6aHVzaA==")]


@pytest.mark.parametrize("again", [None, "", "hunter2", 5])
@pytest.mark.asyncio
async def test_the_old_refresh_token_stays_if_there_is_no_other(again: Any) -> None:
    idp = Idp(DISCOVERY, (200, {"id_token": "new", "refresh_token": again}))
    assert await refresh(CONFIG, idp, "config") == {"id-token": "new"}


@pytest.mark.parametrize("secret", ["hush", ""])
@pytest.mark.asyncio
async def test_the_secret_is_sent_in_the_form_if_the_header_is_not_taken(secret: str) -> None:
    idp = Idp(DISCOVERY, (401, {}), (200, {"id_token": "new"}))
    await refresh({**CONFIG, "client-secret": secret}, idp, "config")
    _, form, header = idp.asked[1]
    assert header is None
    assert form["client_id"] == "me"
    assert form.get("client_secret", "") == secret


@pytest.mark.parametrize(
    ("idp", "message"),
    [
        (Idp({}, status=404), "idp-issuer-url: the provider answered 404"),
        (Idp({}), "has no token_endpoint"),
        (Idp([]), "has no token_endpoint"),
        (Idp(b"\xff"), "has no token_endpoint"),
        (Idp(b"[" * 100_000), "has no token_endpoint"),
        (Idp({"token_endpoint": 5}), "has no token_endpoint"),
        (Idp({"token_endpoint": "http://idp/token"}), "as safe as the issuer"),
        (Idp({"token_endpoint": "https://idp:x/"}), "has no token_endpoint"),
        (Idp(DISCOVERY, (400, {}), (400, {})), "refresh-token: the provider answered 400;"),
        (
            Idp(DISCOVERY, (400, {}), (400, {"error": "invalid_grant", "x": "hunter2"})),
            r"answered 400 \(invalid_grant\)",
        ),
        (Idp(DISCOVERY, (400, {}), (400, {"error": "No hunter2!"})), "answered 400;"),
        (Idp(DISCOVERY, (302, {}), (302, {})), "answered 302"),
        (Idp(DISCOVERY, (200, {"access_token": "hunter2"})), "has no id_token"),
        (Idp(DISCOVERY, (200, b"hunter2")), "has no id_token"),
    ],
)
@pytest.mark.asyncio
async def test_what_goes_wrong_is_told_without_secrets(idp: Idp, message: str) -> None:
    with pytest.raises(LoginFailed, match=message) as caught:
        await refresh(CONFIG, idp, "config")
    assert str(caught.value).startswith("config")
    assert "hunter2" not in str(caught.value)
    assert "hush" not in str(caught.value)


@pytest.mark.parametrize("issuer", ["idp", "ftp://idp", "https://", "https://idp:x"])
@pytest.mark.asyncio
async def test_an_issuer_must_be_a_url(issuer: str) -> None:
    with pytest.raises(LoginFailed, match=r"^config\.idp-issuer-url must be a URL"):
        await refresh({**CONFIG, "idp-issuer-url": issuer}, Idp({}), "config")
