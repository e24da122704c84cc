from typing import Any

from kedge.apiserver.crd.names import establish
from tests.unit.apiserver.crd.samples import NOW, crd, created, established

LATER = "2026-03-01T00:00:00Z"


def other(**names: Any) -> dict[str, Any]:
    definition = crd(names={"plural": "others", "kind": "Other", **names})
    definition["metadata"]["name"] = "others.example.com"
    return definition


def conditions(status: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    return [
        (one["type"], one["status"], one["reason"], one["message"]) for one in status["conditions"]
    ]


def test_free_names_are_accepted_and_then_the_kind_is_established() -> None:
    definition = created(crd())
    status = establish(definition, [], NOW)
    text = "the initial names have been accepted"
    assert conditions(status)[1] == ("Established", "False", "Installing", text)
    status = establish({**definition, "status": status}, [], NOW)
    assert conditions(status) == [
        ("NamesAccepted", "True", "NoConflicts", "no conflicts found"),
        ("Established", "True", "InitialNamesAccepted", text),
    ]
    assert status["acceptedNames"] == {
        "plural": "things",
        "singular": "thing",
        "kind": "Thing",
        "listKind": "ThingList",
    }
    assert status["storedVersions"] == ["v1"]


def test_names_of_another_crd_are_not_accepted() -> None:
    taken = created(other(shortNames=["thing", "t"], singular="things"))
    status = establish(taken, [established(crd())], NOW)
    assert conditions(status) == [
        ("NamesAccepted", "False", "ShortNamesConflict", '"thing" is already in use'),
        ("Established", "False", "NotAccepted", "not all names are accepted"),
    ]
    assert status["acceptedNames"]["plural"] == "others"
    assert "singular" not in status["acceptedNames"]


def test_the_last_conflict_is_told() -> None:
    taken = created(other(kind="Thing", listKind="ThingList"))
    status = establish(taken, [established(crd())], NOW)
    assert conditions(status)[0][2:] == ("ListKindConflict", '"ThingList" is already in use')


def test_other_groups_do_not_matter() -> None:
    elsewhere = established(crd())
    elsewhere["spec"] = {**elsewhere["spec"], "group": "example.org"}
    assert conditions(establish(created(crd()), [elsewhere], NOW))[0][1] == "True"


def test_nothing_moves_when_nothing_changed() -> None:
    definition = established(crd())
    assert establish(definition, [], LATER) == definition["status"]


def test_new_short_names_are_accepted_and_times_stay() -> None:
    definition = established(crd())
    definition["spec"]["names"] = {**definition["spec"]["names"], "shortNames": ["th"]}
    status = establish(definition, [], LATER)
    assert status["acceptedNames"]["shortNames"] == ["th"]
    assert {one["lastTransitionTime"] for one in status["conditions"]} == {NOW}


def test_a_kubernetes_group_tells_of_its_approval() -> None:
    definition = created(crd(group="x.k8s.io"))
    definition["metadata"]["annotations"] = {"api-approved.kubernetes.io": "unapproved"}
    assert conditions(establish(definition, [], NOW))[-1] == (
        "KubernetesAPIApprovalPolicyConformant",
        "False",
        "UnapprovedAnnotation",
        'not approved: "unapproved"',
    )
