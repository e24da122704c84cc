import asyncio
import json
from collections.abc import Mapping
from datetime import timedelta

import pytest

from kedge.client.where.entries import AuthProvider
from kedge.client.where.errors import ConfigError, LoginFailed
from kedge.client.where.oidc import Oidc
from kedge.client.where.web import Answer
from kedge.testing import FakeClock
from tests.unit.client.where.material import jwt

HOUR = timedelta(hours=1)


class World:
    """A provider, a file and a clock."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.file: dict[str, str] = {}
        self.saves: list[dict[str, str]] = []
        self.is_read_only = False
        self.renewals = 0
        self.answer: dict[str, str] | None = None

    def token(self, lasts: timedelta, name: str = "") -> str:
        return jwt(self.clock.now() + lasts, name=name)

    def login(self, **config: str) -> Oidc:
        basics = {"idp-issuer-url": "https://idp", "client-id": "c"}
        self.file = basics | {name.replace("_", "-"): value for name, value in config.items()}
        return Oidc(AuthProvider("auth-provider", "oidc", dict(self.file)), self, self, self.clock)

    def load(self) -> Mapping[str, str]:
        return self.file

    def save(self, changes: Mapping[str, str]) -> None:
        if self.is_read_only:
            raise ConfigError("read-only")
        self.saves.append(dict(changes))
        self.file.update(changes)

    async def get(self, url: str) -> Answer:
        return Answer(200, b'{"token_endpoint": "https://idp/token"}')

    async def post(self, url: str, form: Mapping[str, str], authorization: str | None) -> Answer:
        self.renewals += 1
        if self.answer is None:
            return Answer(400, b"{}")
        return Answer(200, json.dumps(self.answer).encode())


@pytest.fixture
def world() -> World:
    return World()


@pytest.mark.asyncio
async def test_a_token_is_used_until_it_is_about_to_end(world: World) -> None:
    old, new = world.token(HOUR), world.token(10 * HOUR)
    login = world.login(id_token=old, refresh_token="r")
    world.answer = {"id_token": new}
    world.clock.advance(HOUR - timedelta(seconds=11))
    assert await login.value() == f"Bearer {old}"
    world.clock.advance(timedelta(seconds=1))
    assert await login.value() == f"Bearer {new}"
    assert world.saves == [{"id-token": new}]


@pytest.mark.asyncio
async def test_many_who_ask_share_one_renewal(world: World) -> None:
    login = world.login(refresh_token="r")
    world.answer = {"id_token": world.token(HOUR)}
    values = await asyncio.gather(*(login.value() for _ in range(10)))
    assert len(set(values)) == 1
    assert world.renewals == 1


@pytest.mark.asyncio
async def test_what_another_program_has_renewed_is_taken_over(world: World) -> None:
    login = world.login(id_token=world.token(HOUR), refresh_token="once")
    theirs = world.token(3 * HOUR)
    world.file |= {"id-token": theirs, "refresh-token": "next"}
    world.clock.advance(2 * HOUR)
    assert await login.value() == f"Bearer {theirs}"
    assert world.renewals == 0


@pytest.mark.asyncio
async def test_a_refused_token_is_renewed_once(world: World) -> None:
    old, new = world.token(HOUR, "old"), world.token(HOUR, "new")
    login = world.login(id_token=old, refresh_token="r")
    world.answer = {"id_token": new}
    assert login.refused(await login.value())
    assert await login.value() == f"Bearer {new}"
    assert not login.refused(f"Bearer {new}"), "the next one would be no better"
    assert login.refused(f"Bearer {old}"), "there is another one already"
    assert world.renewals == 1
    world.clock.advance(timedelta(minutes=5))
    assert login.refused(f"Bearer {new}")


@pytest.mark.asyncio
async def test_without_a_refresh_token_a_refusal_is_final(world: World) -> None:
    login = world.login(id_token=world.token(HOUR))
    assert not login.refused(await login.value())
    world.clock.advance(HOUR)
    with pytest.raises(LoginFailed, match="id-token has expired; log in again"):
        await login.value()


@pytest.mark.asyncio
async def test_a_file_that_cannot_be_written_is_no_obstacle(world: World) -> None:
    login = world.login(refresh_token="r")
    world.is_read_only = True
    world.answer = {"id_token": world.token(HOUR), "refresh_token": "next"}
    assert await login.value()
    world.is_read_only = False
    assert await login.value()
    assert world.saves == []
    world.clock.advance(timedelta(minutes=1))
    assert await login.value()
    assert world.saves == [{"id-token": world.answer["id_token"], "refresh-token": "next"}]


@pytest.mark.asyncio
async def test_a_failure_is_told_and_tried_again(world: World) -> None:
    login = world.login(refresh_token="hunter2")
    with pytest.raises(LoginFailed, match=r"auth-provider\.config\.refresh-token"):
        await login.value()
    world.answer = {"id_token": world.token(HOUR)}
    assert await login.value()


@pytest.mark.asyncio
async def test_an_answer_that_is_no_token_is_refused(world: World) -> None:
    login = world.login(refresh_token="r")
    world.answer = {"id_token": "hunter2"}
    with pytest.raises(LoginFailed, match="the provider's id_token is not a token"):
        await login.value()
    assert world.saves == []


@pytest.mark.asyncio
async def test_a_token_that_is_over_by_our_clock_is_tried(world: World) -> None:
    login = world.login(refresh_token="r", id_token="not a token")
    over = world.token(-HOUR)
    world.answer = {"id_token": over}
    assert await login.value() == f"Bearer {over}"
