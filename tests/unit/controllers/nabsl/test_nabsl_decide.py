"""The next step for a location of a user's, in each of its states."""

from datetime import UTC, datetime
from typing import Any

import pytest

from kedge.controllers.nabsl.decide import Act, Scene, TellRequest, Write, decide, told_request
from kedge.controllers.nabsl.heads import Location, Nabsl, Request
from kedge.controllers.nabsl.status import Made
from kedge.kube.meta import ObjectMeta
from kedge.selfservice.change import change_to
from kedge.selfservice.marks import ADMIN_ASKED, NABSL_FINALIZER

NOW = datetime(2030, 1, 1, tzinfo=UTC)
SPEC = {"provider": "aws", "objectStorage": {"bucket": "b"}, "backupSyncPeriod": None}
LOCATION = Location(status={"phase": "Available"})


def nabsl(status: dict[str, Any] | None = None, *finalizers: str) -> Nabsl:
    meta = ObjectMeta(namespace="shop", name="bucket", uid="u", generation=1)
    meta.finalizers = list(finalizers)
    return Nabsl(meta, {"backupStorageLocationSpec": SPEC}, status)


def merged(old: dict[str, Any], change: dict[str, Any]) -> dict[str, Any]:
    new = dict(old)
    for name, value in change.items():
        if value is None:
            new.pop(name, None)
        elif isinstance(value, dict):
            new[name] = merged(new.get(name) or {}, value)
        else:
            new[name] = value
    return new


def settled(scene_of: Any, one: Nabsl) -> tuple[Nabsl, Any]:
    """Write until something else is to be done."""
    for _ in range(5):
        step = decide(scene_of(one))
        if not isinstance(step, Write):
            return one, step
        one = Nabsl(one.metadata, one.spec, merged(one.status or {}, step.change))
    raise AssertionError("it has no end")


def accepted() -> Nabsl:
    one, step = settled(lambda one: Scene(one, "velero", NOW, "uuid"), nabsl())
    assert step is Act.ADD_FINALIZER
    return nabsl(one.status, NABSL_FINALIZER)


def asked(decision: str, one: Nabsl) -> Request:
    meta = ObjectMeta(annotations={ADMIN_ASKED: "true"})
    request = Request(meta, {"approvalDecision": decision})
    status = told_request(one, request)
    spec = {name: value for name, value in SPEC.items() if value is not None}
    status["nonAdminBackupStorageLocation"]["requestedSpec"] = spec
    return Request(request.metadata, request.spec, status)


def test_the_first_write_says_all_that_is_known() -> None:
    one = accepted()
    assert one.phase == "New"
    assert one.known["veleroBackupStorageLocation"] == {
        "nacuuid": "shop-bucket-uuid",
        "name": "shop-bucket-uuid",
        "namespace": "velero",
    }
    assert decide(Scene(one, "velero", NOW, "another")) is Act.CREATE_REQUEST


def test_a_request_is_told_what_it_is_about_before_anything_else() -> None:
    one = accepted()
    step = decide(Scene(one, "velero", NOW, request=Request(spec={"approvalDecision": "approve"})))
    assert isinstance(step, TellRequest)
    assert step.change["phase"] == "Approved"


@pytest.mark.parametrize(
    ("decision", "required", "is_there", "wanted"),
    [
        ("approve", True, False, Act.MAKE),
        ("approve", False, True, Act.MAKE),
        ("pending", False, False, Act.APPROVE),
        ("reject", False, True, Act.APPROVE),
        ("pending", True, True, Act.REVOKE),
        ("reject", True, True, Act.REVOKE),
        ("", True, True, Act.REVOKE),
    ],
)
def test_the_word_of_the_administrator_counts(
    decision: str, required: bool, is_there: bool, wanted: Act
) -> None:
    one = accepted()
    scene = Scene(
        one,
        "velero",
        NOW,
        request=asked(decision, one),
        require_approval=required,
        is_there=is_there,
    )
    assert decide(scene) is wanted


@pytest.mark.parametrize("decision", ["", "pending", "reject"])
def test_who_was_not_asked_at_first_is_asked_now(decision: str) -> None:
    one = accepted()
    request = asked(decision, one)
    request = Request(ObjectMeta(), request.spec, request.status)
    scene = Scene(one, "velero", NOW, request=request, require_approval=True, is_there=True)
    assert decide(scene) is Act.ASK


@pytest.mark.parametrize(
    ("before", "decision", "phase"),
    [
        ("New", "pending", "New"),
        ("New", "", "New"),
        ("New", "reject", "BackingOff"),
        ("New", "nonsense", "BackingOff"),
        ("BackingOff", "pending", "BackingOff"),
        ("Created", "pending", "BackingOff"),
        ("Created", "reject", "BackingOff"),
        ("BackingOff", "approve", "Created"),
        ("Created", "approve", "Created"),
    ],
)
def test_a_phase_follows_from_the_state_and_stays(before: str, decision: str, phase: str) -> None:
    one = accepted()
    one = nabsl({**one.known, "phase": before}, NABSL_FINALIZER)
    request = asked(decision, one)

    def scene(one: Nabsl) -> Scene:
        made = Made((), LOCATION) if decision == "approve" else None
        return Scene(one, "velero", NOW, request=request, require_approval=True, made=made)

    one, step = settled(scene, one)
    assert step is Act.DONE
    assert one.phase == phase
    assert decide(scene(one)) is Act.DONE


def test_what_a_newer_velero_says_of_a_location_is_left_out_where_nothing_keeps_it() -> None:
    one = accepted()
    request = asked("approve", one)
    location = Location(status={"phase": "Available", "ofTomorrow": 1})
    scene = Scene(one, "velero", NOW, request=request, made=Made((), location))
    step = decide(scene)
    assert isinstance(step, Write)
    assert step.change["veleroBackupStorageLocation"]["status"] == {"phase": "Available"}


def test_an_edit_after_the_request_is_told_and_changes_nothing_else() -> None:
    one = accepted()
    request = asked("approve", one)
    edited = Nabsl(one.metadata, {"backupStorageLocationSpec": {"provider": "gcp"}}, one.status)

    def scene(one: Nabsl) -> Scene:
        return Scene(one, "velero", NOW, request=request, made=Made((), LOCATION))

    after, step = settled(scene, edited)
    assert step is Act.DONE
    assert after.phase == "Created"
    assert [each["type"] for each in after.conditions][-1] == "SpecUpdateApproved"
    told = told_request(edited, request)["nonAdminBackupStorageLocation"]["requestedSpec"]
    assert not change_to(told, SPEC)


def test_a_request_that_says_the_same_in_other_words_tells_of_no_edit() -> None:
    one = accepted()
    spec = {**SPEC, "backupSyncPeriod": "60s", "default": False, "validationFrequency": None}
    one = Nabsl(one.metadata, {"backupStorageLocationSpec": spec}, one.status)
    request = asked("approve", one)  # as the original writes it
    request.known["nonAdminBackupStorageLocation"]["requestedSpec"] = {
        **SPEC,
        "backupSyncPeriod": "1m0s",
    }

    def scene(one: Nabsl) -> Scene:
        return Scene(one, "velero", NOW, request=request, made=Made((), LOCATION))

    after, step = settled(scene, one)
    assert step is Act.DONE
    assert "SpecUpdateApproved" not in [each["type"] for each in after.conditions]


def test_what_is_anothers_is_not_touched() -> None:
    one = accepted()

    def scene(one: Nabsl) -> Scene:
        return Scene(one, "velero", NOW, is_foreign=True, is_there=True)

    after, step = settled(scene, one)
    assert step is Act.DONE
    assert after.phase == "BackingOff"


def test_a_problem_is_told_once() -> None:
    after, step = settled(lambda one: Scene(one, "velero", NOW, problem="why"), nabsl())
    assert step is Act.DONE
    assert after.phase == "BackingOff"
    assert after.conditions[0]["message"] == "why"
    assert "veleroBackupStorageLocation" not in after.known
