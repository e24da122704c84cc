"""deploy/warnings.yaml: kubectl tells who deletes a NonAdminBackup what it waits for."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integration.eventually import eventually
from tests.integration.install.conftest import Site

POLICY = Path(__file__).resolve().parents[3] / "deploy" / "warnings.yaml"
HELD = "nonadminbackup.oadp.openshift.io/finalizer"
TEXT = (
    "the backup stays, and this object waits, until you decide: `kedge nab delete held -n people`"
    " deletes both, with --force the data stays behind"
)
DELETE = ("delete", "nab", "--namespace=people", "--dry-run=server")
SECONDS = 60.0


@pytest.fixture
def site(place: Site) -> Iterator[Site]:
    """A cluster with our kinds, and NonAdminBackups of people."""
    place.install()
    place.kubectl.run("create", "namespace", "people")
    make(place, "held")
    make(place, "free", finalizers=[])
    make(place, "decided", deleteBackup=True)
    make(place, "forced", forceDeleteBackup=True)
    yield place
    place.kubectl.run("delete", "-f", str(POLICY))
    patch = json.dumps({"metadata": {"finalizers": []}})
    for name in ("held", "decided", "forced"):
        place.kubectl.ok("patch", "nab", name, "-n", "people", "--type=merge", "-p", patch)
    place.kubectl.ok("delete", "nab", "--all", "-n", "people")


def make(place: Site, name: str, finalizers: list[str] | None = None, **spec: Any) -> None:
    """Make a NonAdminBackup, as a server has left it."""
    finalizers = [HELD] if finalizers is None else finalizers
    meta = {"name": name, "namespace": "people", "finalizers": finalizers}
    obj = {
        "apiVersion": "oadp.openshift.io/v1alpha1",
        "kind": "NonAdminBackup",
        "metadata": meta,
        "spec": {"backupSpec": {}, **spec},
    }
    flags = ("apply", "--server-side", "-f", "-", "-n", "people")
    place.kubectl.ok(*flags, stdin=json.dumps(obj))


def warning(place: Site, name: str) -> str:
    """Delete one, without effect; give what kubectl complains about."""
    done = place.kubectl.run(*DELETE, name)
    assert done.returncode == 0, done.stderr
    return done.stderr


@pytest.mark.asyncio
async def test_who_deletes_is_told_what_it_waits_for(
    site: Site, request: pytest.FixtureRequest
) -> None:
    if request.node.callspec.params["place"] == "embedded":
        words = site.kubectl.refused("apply", "-f", str(POLICY))
        assert "this server does not evaluate admission policies" in words
        return
    site.kubectl.ok("apply", "-f", str(POLICY))
    # It takes a real server a moment to put a policy in force.
    await eventually(lambda: warning(site, "held") != "", SECONDS)
    told = warning(site, "held")
    assert told.startswith("Warning: ")
    assert told.rstrip().endswith(TEXT)
    assert [warning(site, name) for name in ("free", "decided", "forced")] == ["", "", ""]
