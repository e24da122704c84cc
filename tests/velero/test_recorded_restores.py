"""What we make of the original's backup in an empty cluster is what the original made of it."""

import io
from pathlib import Path

import pytest

from kedge.api.velero.restore import RestoreSpec
from kedge.archive import layout
from kedge.archive.contents import Contents, ContentsBuilder
from tests.integration.roundtrip.compare import (
    JOBS,
    REQUESTERS,
    SERVER_GIVEN,
    SERVICES,
    STATUSES,
    State,
    differences,
    state,
)
from tests.integration.roundtrip.journey import Port, back, embedded, real
from tests.real_cluster import Programs
from tests.velero.recorded import EVERY_KIND, restored_by_the_original

RESTORE = "fresh"
MAY_DIFFER = [SERVER_GIVEN, STATUSES, SERVICES, JOBS]
"""Less than after a round trip: both restored from one archive, under the same name."""
LABEL = "velero.io/restore-name"
REFUSED_HERE = "admissionregistration.k8s.io"
"""The embedded server does not take what it would not obey."""


def contents() -> Contents:
    builder = ContentsBuilder(io.BytesIO())
    builder.feed(EVERY_KIND.archive)
    return builder.finish()


async def restored(port: Port) -> tuple[State, dict[str, list[str]], dict[str, object]]:
    spec = RestoreSpec(backup_name=EVERY_KIND.name)
    outcome, told = await back(port.client, contents(), spec, RESTORE)
    return await state(port.looking), outcome.resource_list, told.errors


@pytest.mark.asyncio
async def test_the_embedded_api_holds_what_the_original_restored() -> None:
    async with embedded() as port:
        ours, _, errors = await restored(port)
    theirs = {
        key: obj
        for key, obj in restored_by_the_original().items()
        if REFUSED_HERE not in key[0] and LABEL in obj["metadata"].get("labels", {})
    }
    assert len(theirs) > 200
    assert set(errors) <= {"cluster"}
    assert list(differences(theirs, ours, [*MAY_DIFFER, REQUESTERS])) == []


@pytest.mark.slow
@pytest.mark.asyncio
async def test_a_real_cluster_holds_what_the_original_restored(
    real_programs: Programs, tmp_path: Path
) -> None:
    async with real(real_programs, tmp_path) as port:
        ours, listed, errors = await restored(port)
    assert errors == {}
    assert list(differences(restored_by_the_original(), ours, MAY_DIFFER)) == []
    # The original finds every object changed that it did not make: it compares the times of
    # managedFields. We do not; and it had its own kinds there already.
    theirs = EVERY_KIND.json(layout.restore_resource_list(RESTORE))
    assert _names(listed) == _names(theirs)
    assert _created(theirs) <= _created(listed)


def _names(listed: dict[str, list[str]]) -> dict[str, list[str]]:
    return {
        kind: sorted(name.rpartition("(")[0] for name in names) for kind, names in listed.items()
    }


def _created(listed: dict[str, list[str]]) -> set[tuple[str, str]]:
    """Give what the restore has made; an IPAddress the server makes itself, if it is faster."""
    return {
        (kind, one)
        for kind, names in listed.items()
        for one in names
        if "(created)" in one and kind != "networking.k8s.io/v1/IPAddress"
    }
