"""From a BackupStorageLocation in a cluster, and its Secrets, to its store."""

import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kedge.api.velero.storage_location import BackupStorageLocation
from kedge.client import Client
from kedge.client.where import explicit
from kedge.engine.storage import open as module
from kedge.engine.storage.errors import LocationError
from kedge.engine.storage.open import Stores
from kedge.objects.bucket import Bucket
from kedge.objects.errors import PlaceError
from kedge.objects.open import Surroundings, open_bucket
from kedge.objects.place import Place
from kedge.testing import cluster, faults
from tests.integration.objects.seaweed import KEY, SECRET, Seaweed, profile

NAMESPACE = "default"
SECRETS = f"/api/v1/namespaces/{NAMESPACE}/secrets"
SECRET_PATH = f"{SECRETS}/cloud"


def location(name: str = "main", **spec: Any) -> BackupStorageLocation:
    plain = {"metadata": {"name": name, "namespace": NAMESPACE}, "spec": spec}
    return msgspec.convert(plain, BackupStorageLocation)


def in_folder(name: str = "main", **spec: Any) -> BackupStorageLocation:
    bucket = {"objectStorage": {"bucket": "b"}}
    return location(name, provider="kedge.dev/filesystem", **bucket | spec)


class Seen:
    """Opens folders, whatever is asked for, and remembers what was."""

    def __init__(self) -> None:
        self.places: list[Place] = []

    def open(self, place: Place, surroundings: Surroundings) -> Bucket:
        """Remember, and open a folder."""
        self.places.append(place)
        return open_bucket(Place("kedge.dev/filesystem", "b"), surroundings)


class Harness:
    """Stores, a way to write Secrets, and what was opened."""

    def __init__(self, stores: Stores, admin: Any, seen: Seen) -> None:
        self.stores, self.admin, self.seen = stores, admin, seen

    async def secret(self, name: str, **data: bytes) -> None:
        """Write a Secret, or write it anew."""
        body = {
            "metadata": {"name": name},
            "data": {key: base64.b64encode(value).decode() for key, value in data.items()},
        }
        names = [one["metadata"]["name"] for one in (await self.admin.get(SECRETS))["items"]]
        if name in names:
            await self.admin.delete(f"{SECRETS}/{name}")
        await self.admin.create(SECRETS, body)


@asynccontextmanager
async def harness(folder: Path) -> AsyncIterator[Harness]:
    seen = Seen()
    async with (
        cluster() as kube,
        faults.proxy(kube) as proxy,
        Client(explicit(proxy.url)) as client,
        Stores(client, Surroundings(folder), NAMESPACE, seen.open) as stores,
    ):
        yield Harness(stores, kube.client, seen)


@pytest.mark.asyncio
async def test_spec_and_secrets_become_a_place(tmp_path: Path) -> None:
    async with harness(tmp_path) as rig:
        await rig.secret("cloud", creds=b"text", ca=b"PEM", key=b"k" * 32)
        await rig.stores.open(
            location(
                provider="aws",
                config={"region": "r", "customerKeyEncryptionSecret": "cloud/key"},
                credential={"name": "cloud", "key": "creds"},
                objectStorage={
                    "bucket": "/b/",
                    "prefix": "/p/q/",
                    "caCertRef": {"name": "cloud", "key": "ca"},
                },
            )
        )
        assert rig.seen.places == [
            Place(
                "aws",
                "b",
                "p/q",
                {"region": "r", "customerKeyEncryptionSecret": "cloud/key"},
                b"text",
                b"PEM",
                b"k" * 32,
            )
        ]


@pytest.mark.asyncio
async def test_a_certificate_in_the_spec_is_taken(tmp_path: Path) -> None:
    pem = base64.b64encode(b"PEM").decode()
    async with harness(tmp_path) as rig:
        await rig.stores.open(
            location(provider="aws", objectStorage={"bucket": "b", "caCert": pem})
        )
        assert rig.seen.places[0].ca == b"PEM"


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (
            {"provider": "", "objectStorage": {"bucket": "b"}},
            "object storage provider name must not be empty",
        ),
        (
            {"provider": "aws", "objectStorage": {"bucket": "b/p"}},
            "backup storage location's bucket name \"b/p\" must not contain a '/' (if using a "
            "prefix, put it in the 'Prefix' field instead)",
        ),
        (
            {"provider": "aws", "objectStorage": {"bucket": "/"}},
            "spec.objectStorage.bucket must not be empty",
        ),
        (
            {
                "provider": "aws",
                "objectStorage": {
                    "bucket": "b",
                    "caCert": "UEVN",
                    "caCertRef": {"name": "n", "key": "k"},
                },
            },
            "cannot specify both caCert and caCertRef in objectStorage",
        ),
        (
            {"provider": "aws", "objectStorage": {"bucket": "b", "caCert": "no base64!"}},
            "spec.objectStorage.caCert is not base64",
        ),
        (
            {
                "provider": "aws",
                "objectStorage": {"bucket": "b"},
                "credential": {"name": "missing", "key": "k"},
            },
            'unable to get credentials: there is no Secret "missing" in namespace "default"',
        ),
        (
            {
                "provider": "aws",
                "objectStorage": {"bucket": "b"},
                "credential": {"name": "cloud", "key": "missing"},
            },
            'unable to get credentials: Secret "cloud" has no entry "missing"',
        ),
        (
            {
                "provider": "aws",
                "objectStorage": {"bucket": "b", "caCertRef": {"name": "missing", "key": "k"}},
            },
            "error getting CA certificate from secret: there is no Secret "
            '"missing" in namespace "default"',
        ),
        (
            {
                "provider": "aws",
                "objectStorage": {"bucket": "b"},
                "config": {"customerKeyEncryptionSecret": "cloud"},
            },
            'config.customerKeyEncryptionSecret "cloud" must be secretName/key',
        ),
    ],
)
async def test_what_is_wrong_with_a_location_is_told(
    spec: dict[str, Any], message: str, tmp_path: Path
) -> None:
    async with harness(tmp_path) as rig:
        await rig.secret("cloud", other=b"text")
        with pytest.raises(LocationError) as caught:
            await rig.stores.open(location(**spec))
        assert str(caught.value) == message
        assert rig.seen.places == []


@pytest.mark.asyncio
async def test_names_of_access_points_may_have_slashes(tmp_path: Path) -> None:
    async with harness(tmp_path) as rig:
        arn = "arn:aws:s3::1:accesspoint/x.mrap"
        await rig.stores.open(location(provider="aws", objectStorage={"bucket": arn}))
        assert rig.seen.places[0].bucket == arn


@pytest.mark.asyncio
async def test_a_store_is_kept_until_something_of_it_changes(tmp_path: Path) -> None:
    async with harness(tmp_path) as rig:
        await rig.secret("cloud", creds=b"one")
        one = in_folder(credential={"name": "cloud", "key": "creds"})
        store = await rig.stores.open(one)
        assert await rig.stores.open(one) is store
        await rig.secret("cloud", creds=b"one", unrelated=b"x")
        assert await rig.stores.open(one) is store
        await rig.secret("cloud", creds=b"two")
        changed = await rig.stores.open(one)
        assert changed is not store
        prefix: dict[str, Any] = {"objectStorage": {"bucket": "b", "prefix": "p"}}
        assert await rig.stores.open(in_folder(**prefix)) is not changed
        assert len(rig.seen.places) == 3
        await store.put_file("backups/x/y", b"still good")


@pytest.mark.asyncio
async def test_only_a_few_stores_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEPT", 2)
    async with harness(tmp_path) as rig:
        first = await rig.stores.open(in_folder("one"))
        second = await rig.stores.open(in_folder("two"))
        assert await rig.stores.open(in_folder("one")) is first
        await rig.stores.open(in_folder("three"))
        assert await rig.stores.open(in_folder("one")) is first
        assert await rig.stores.open(in_folder("two")) is not second


@pytest.mark.asyncio
async def test_an_optional_secret_may_be_missing(tmp_path: Path) -> None:
    async with harness(tmp_path) as rig:
        optional = {"name": "missing", "key": "k", "optional": True}
        await rig.stores.open(in_folder(credential=optional))
        assert rig.seen.places[0].credentials is None


@pytest.mark.asyncio
async def test_a_location_on_s3_works_with_its_secret(s3: Seaweed) -> None:
    spec: dict[str, Any] = {
        "provider": "velero.io/aws",
        "config": {"region": "us-east-1", "s3Url": s3.url, "s3ForcePathStyle": "true"},
        "credential": {"name": "cloud", "key": "creds"},
        "objectStorage": {"bucket": "located", "prefix": "cluster-1"},
    }
    async with (
        cluster() as kube,
        faults.proxy(kube) as proxy,
        Client(explicit(proxy.url)) as client,
        Stores(client, Surroundings(), NAMESPACE) as stores,
    ):
        text = base64.b64encode(profile(KEY, SECRET)).decode()
        await kube.client.create(SECRETS, {"metadata": {"name": "cloud"}, "data": {"creds": text}})
        store = await stores.open(location(**spec))
        await store.put_file("backups/b/velero-backup.json", b"{}")
        await store.check()
        assert await store.backups() == ["b"]
        assert await store.metadata("b") == {}
        with pytest.raises(PlaceError, match="unknown key"):
            await stores.open(location("bad", **{**spec, "config": {"nope": "x"}}))
