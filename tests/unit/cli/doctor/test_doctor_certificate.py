"""The doctor looks at the client certificate of a kubeconfig."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from kedge.cli.doctor.finding import Finding
from kedge.cli.doctor.identity import SOON, certificate
from kedge.client.where import Login, LoginFailed, from_kubeconfig
from kedge.testing import FakeClock
from tests.unit.client.where.material import BEGIN, b64, config, made, written

END = BEGIN + timedelta(days=36500)


async def findings(folder: Path, user: dict[str, str], present: datetime) -> list[Finding]:
    path = written(folder, config(user))
    access = from_kubeconfig([path], environ={}, clock=FakeClock())
    return [one async for one in certificate(access.credentials, present)]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("present", "level", "text"),
    [
        (END, "fail", "your client certificate has expired 0s ago"),
        (END + timedelta(days=3), "fail", "your client certificate has expired 3d ago"),
        (END - timedelta(hours=5), "warn", "your client certificate expires in 5h"),
        (END - SOON, "ok", "your client certificate is valid for 7d more"),
        (BEGIN, "ok", "your client certificate is valid for 36500d more"),
        (
            BEGIN - timedelta(hours=1),
            "warn",
            "your client certificate is not valid yet, but in 1h",
        ),
    ],
)
async def test_it_is_told_how_long_a_certificate_is_valid(
    tmp_path: Path, present: datetime, level: str, text: str
) -> None:
    pair = made()
    user = {
        "client-certificate-data": b64(pair.certificate),
        "client-key-data": b64(pair.key),
    }
    (found,) = await findings(tmp_path, user, present)
    assert (found.level, found.text) == (level, text)
    assert bool(found.fix) == (level != "ok")


@pytest.mark.asyncio
async def test_the_first_of_a_chain_counts(tmp_path: Path) -> None:
    pair, other = made(), made("authority")
    user = {
        "client-certificate-data": b64(pair.certificate + other.certificate),
        "client-key-data": b64(pair.key),
    }
    (found,) = await findings(tmp_path, user, END - timedelta(days=1))
    assert found.level == "warn"


@pytest.mark.asyncio
async def test_who_shows_no_certificate_is_told_nothing(tmp_path: Path) -> None:
    assert await findings(tmp_path, {"token": "hunter2"}, END) == []


class Refusing:
    """Credentials that can not be fetched."""

    async def login(self) -> Login:
        raise LoginFailed("the program is not there")

    def refused(self, login: Login | None = None) -> bool:
        return False


@pytest.mark.asyncio
async def test_what_can_not_be_fetched_is_left_to_the_next_check() -> None:
    assert [one async for one in certificate(Refusing(), END)] == []
