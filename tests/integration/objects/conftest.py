"""Servers for object storage, one of each kind for all tests here."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from kedge.objects.bucket import Bucket
from kedge.objects.open import Surroundings, open_bucket
from kedge.objects.place import Place
from tests.integration.objects.azurite import Azurite, azurite
from tests.integration.objects.seaweed import Seaweed, seaweed

_NUMBERS = itertools.count(1)


@pytest.fixture(scope="session")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seaweed]:
    """Run SeaweedFS."""
    with seaweed(tmp_path_factory.mktemp("seaweed")) as server:
        yield server


@pytest.fixture(scope="session")
def azure(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Azurite]:
    """Run Azurite."""
    with azurite(tmp_path_factory.mktemp("azurite")) as server:
        yield server


@dataclass(frozen=True)
class Home:
    """A bucket of some provider that nobody else uses, and is empty."""

    provider: str
    place: Place
    surroundings: Surroundings

    def open(self, prefix: str = "") -> Bucket:
        """Open the bucket, or a folder in it."""
        return open_bucket(replace(self.place, prefix=prefix), self.surroundings)


@pytest.fixture(params=["filesystem", "s3", "azure"])
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Home:
    """Give a bucket of each provider, one after the other."""
    name = f"bucket-{next(_NUMBERS)}"
    if request.param == "s3":
        return Home("s3", request.getfixturevalue("s3").place(name), Surroundings())
    if request.param == "azure":
        server: Azurite = request.getfixturevalue("azure")
        server.make(name)
        return Home("azure", server.place(name), Surroundings())
    surroundings = Surroundings(tmp_path / "root", "http://localhost")
    return Home("filesystem", Place("kedge.dev/filesystem", name), surroundings)
