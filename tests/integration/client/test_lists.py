"""Lists in pages, against our server and a real one."""

import pytest
import pytest_asyncio

from kedge.client import Client, ClientSettings, Selection
from kedge.kube import errors
from kedge.kube.kind import plain
from tests.integration.client.conftest import Api

SECRETS = plain("v1", "Secret", "secrets")
NAMES = [f"s{number}" for number in range(7)]


@pytest_asyncio.fixture
async def selection(kube: Client, namespace: str) -> Selection:
    """Make seven secrets in a namespace of their own."""
    for number, name in enumerate(NAMES):
        labels = {"number": str(number), "parity": "odd" if number % 2 else "even"}
        await kube.create(SECRETS, {"metadata": {"name": name, "labels": labels}}, namespace)
    return Selection(namespace)


@pytest.mark.asyncio
async def test_pages_are_asked_for_when_they_are_needed(api: Api, selection: Selection) -> None:
    asked: list[int] = []
    async with api.client(settings=ClientSettings(page=3)) as kube:
        kube.transport._observe = lambda method, code, seconds: asked.append(code)
        names = []
        async for secret in kube.list(SECRETS, selection):
            names.append((secret["metadata"]["name"], len(asked)))
    assert [name for name, _ in names] == NAMES
    assert [count for _, count in names] == [1, 1, 1, 2, 2, 2, 3]


@pytest.mark.asyncio
async def test_a_page_tells_how_many_are_left(kube: Client, selection: Selection) -> None:
    page = await kube.page(SECRETS, selection, 3)
    assert (len(page.items), page.remaining) == (3, 4)
    rest = await kube.page(SECRETS, selection, 0, page.token)
    assert len(rest.items) == 4
    assert rest.token == ""
    assert rest.version == page.version


@pytest.mark.asyncio
async def test_selectors(kube: Client, selection: Selection) -> None:
    async def names(labels: str = "", fields: str = "") -> list[str]:
        chosen = Selection(selection.namespace, labels, fields)
        return [one["metadata"]["name"] async for one in kube.list(SECRETS, chosen)]

    assert await names("parity=odd") == ["s1", "s3", "s5"]
    assert await names("number in (2,3),parity!=odd") == ["s2"]
    assert await names("!number") == []
    assert await names(fields="metadata.name=s4") == ["s4"]
    assert await names(fields="metadata.name!=s4,metadata.name!=s0") == [
        "s1",
        "s2",
        "s3",
        "s5",
        "s6",
    ]
    with pytest.raises(errors.BadRequest):
        await names("a in b")
    with pytest.raises(errors.BadRequest):
        await names(fields="spec.nosuch=x")


@pytest.mark.asyncio
async def test_all_namespaces(kube: Client, selection: Selection) -> None:
    everywhere = Selection(labels="parity")
    places = {one["metadata"]["namespace"] async for one in kube.list(SECRETS, everywhere)}
    assert selection.namespace in places


@pytest.mark.asyncio
async def test_bytes_and_metadata_alone(kube: Client, selection: Selection) -> None:
    raw = [bytes(one) async for one in kube.list(SECRETS.raw, selection)]
    assert all(one.startswith(b"{") and one.endswith(b"}") for one in raw)
    partial = [one async for one in kube.list(SECRETS.partial, selection)]
    assert [one.metadata.name for one in partial] == NAMES
    assert len(raw) == len(partial)


@pytest.mark.asyncio
async def test_an_empty_list_has_a_version(kube: Client, namespace: str) -> None:
    page = await kube.page(SECRETS, Selection(namespace))
    assert page.items == []
    assert page.version


@pytest.mark.asyncio
async def test_a_token_that_makes_no_sense(kube: Client, selection: Selection) -> None:
    with pytest.raises(errors.BadRequest):
        await kube.page(SECRETS, selection, 3, "nonsense")
