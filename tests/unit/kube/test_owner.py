from typing import Any

from kedge.kube.owner import (
    controller_of,
    duplicates_warning,
    is_controlled_by,
    owners_of,
    reference_to,
    without_duplicates,
)

OWNER = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "a", "uid": "u"}}


def test_a_reference_names_the_owner_by_uid() -> None:
    assert reference_to(OWNER) == {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "name": "a",
        "uid": "u",
        "controller": True,
        "blockOwnerDeletion": True,
    }
    plain = reference_to(OWNER, controller=False, block_deletion=False)
    assert list(plain) == ["apiVersion", "kind", "name", "uid"]


def test_the_controller_is_found_among_the_owners() -> None:
    plain, managing = reference_to(OWNER, controller=False), reference_to(OWNER)
    obj = {"metadata": {"ownerReferences": [plain, managing]}}
    assert owners_of(obj) == [plain, managing]
    assert controller_of(obj) == managing
    assert is_controlled_by(obj, OWNER)
    other = {"metadata": {"name": "a", "uid": "another"}}
    assert not is_controlled_by(obj, other)


def test_an_object_may_have_no_owner() -> None:
    objects: list[dict[str, Any]] = [{}, {"metadata": {}}, {"metadata": {"ownerReferences": None}}]
    for obj in objects:
        assert not owners_of(obj)
        assert controller_of(obj) is None
        assert not is_controlled_by(obj, OWNER)


def test_references_that_are_there_twice_are_left_out() -> None:
    one, other = reference_to(OWNER), reference_to(OWNER, controller=False)
    assert without_duplicates([one, other, dict(one), dict(one)]) == ([one, other], ["u", "u"])
    assert without_duplicates([{}, {}]) == ([{}], [""])


def test_the_warning_about_duplicates_is_that_of_kubernetes() -> None:
    text = (
        "; API server dedups owner references in 1.20+, and may reject such requests as early as "
        "1.24; please fix your requests; duplicate UID(s) observed: a, b"
    )
    start = ".metadata.ownerReferences contains duplicate entries"
    assert duplicates_warning(["a", "b"]) == start + text
    after = f"{start} after mutating admission happens{text}"
    assert duplicates_warning(["a", "b"], after_admission=True) == after
