import pytest
from multidict import CIMultiDict

from kedge.client.where import tls
from kedge.client.where.credentials import Fixed, Given, Proof, Standing
from kedge.client.where.files import Reread
from kedge.testing import FakeClock


class Turns:
    """A source that changes when it is told to."""

    def __init__(self) -> None:
        self.proofs = [Proof("Bearer 1")]
        self.refusals: list[Proof] = []

    async def proof(self) -> Proof:
        return self.proofs[-1]

    def refused(self, proof: Proof) -> bool:
        self.refusals.append(proof)
        return False


def standing(source: Turns | Given) -> Standing:
    roots = Reread([], lambda _: tls.Roots(insecure=True), FakeClock())
    return Standing(source, roots, CIMultiDict([("Impersonate-User", "u")]))


@pytest.mark.asyncio
async def test_a_new_header_keeps_the_connections() -> None:
    source = Turns()
    credentials = standing(source)
    first = await credentials.login()
    source.proofs.append(Proof("Bearer 2"))
    second = await credentials.login()
    assert second.headers["authorization"] == "Bearer 2"
    assert second.headers["Impersonate-User"] == "u"
    assert second.tls is first.tls
    assert await credentials.login() is second


@pytest.mark.asyncio
async def test_a_refusal_of_an_older_login_does_not_forget_the_newer_one() -> None:
    source = Turns()
    credentials = standing(source)
    first = await credentials.login()
    source.proofs.append(Proof("Bearer 2"))
    second = await credentials.login()
    assert credentials.refused(first)
    assert source.refusals == []
    assert not credentials.refused(second)
    assert not credentials.refused()
    assert len(source.refusals) == 2


@pytest.mark.asyncio
async def test_what_is_fixed_stays_refused() -> None:
    credentials = standing(Given(Fixed("Bearer hunter2")))
    login = await credentials.login()
    assert not credentials.refused(login)
    assert "hunter2" not in f"{credentials!r} {login!r} {login}"
    assert repr(login) == "Login(headers=<Authorization, Impersonate-User>, tls=yes)"


@pytest.mark.asyncio
async def test_headers_cannot_be_changed() -> None:
    login = await standing(Turns()).login()
    with pytest.raises(TypeError):
        login.headers["Authorization"] = "x"  # type: ignore[index]
