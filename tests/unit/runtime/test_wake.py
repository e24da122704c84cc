from typing import Any

import pytest

from kedge.kube.kind import Object, plain
from kedge.runtime.entry import Change, Entry
from kedge.runtime.key import Key
from kedge.runtime.wake import Wake, itself, label, mapped, owner, when
from tests.unit.runtime.test_entry import entry

FLEET = plain("sea.example.com/v1", "Fleet", "fleets")
OCEAN = plain("sea.example.com/v1", "Ocean", "oceans", namespaced=False)


def owned(name: str, **more: Any) -> Entry[Object]:
    reference = {"apiVersion": "sea.example.com/v1", "kind": "Fleet", "name": name, "uid": "u"}
    return entry(ownerReferences=[reference | {"controller": True} | more])


def woken(wake: Wake[Object], old: Entry[Object] | None, new: Entry[Object] | None) -> list[Key]:
    return list(wake(Change(old, new)))


def sea(*names: str) -> list[Key]:
    return [Key("sea", name) for name in names]


def test_an_object_wakes_itself_also_when_it_is_gone() -> None:
    assert woken(itself, None, entry()) == sea("a")
    assert woken(itself, entry(), None) == sea("a")


def test_a_child_wakes_its_owner() -> None:
    assert woken(owner(FLEET), None, owned("north")) == sea("north")
    assert woken(owner(FLEET), owned("north"), None) == sea("north")


def test_a_child_that_changes_hands_wakes_both_owners() -> None:
    assert woken(owner(FLEET), owned("north"), owned("south")) == sea("north", "south")
    assert woken(owner(FLEET), owned("north"), owned("north")) == sea("north")
    assert woken(owner(FLEET), owned("north"), entry()) == sea("north")


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({"kind": "Navy"}, id="another kind"),
        pytest.param({"apiVersion": "land.example.com/v1"}, id="another group"),
        pytest.param({"apiVersion": "v1"}, id="the core group"),
        pytest.param({"controller": False}, id="an owner that does not control"),
    ],
)
def test_other_owners_sleep(more: dict[str, Any]) -> None:
    assert woken(owner(FLEET), None, owned("north", **more)) == []


def test_an_owner_of_an_older_version_is_woken() -> None:
    child = owned("north", apiVersion="sea.example.com/v1beta1")
    assert woken(owner(FLEET), None, child) == sea("north")


def test_an_owner_that_does_not_control_is_woken_where_that_is_wanted() -> None:
    child = owned("north", controller=False)
    assert woken(owner(FLEET, controller_only=False), None, child) == sea("north")


def test_an_owner_outside_of_namespaces_has_none_in_its_key() -> None:
    assert woken(owner(OCEAN), None, owned("blue", kind="Ocean")) == [Key("", "blue")]


def test_a_label_wakes_whom_it_names() -> None:
    wake = label("fleet")
    assert woken(wake, None, entry(labels={"fleet": "north"})) == sea("north")
    assert woken(wake, None, entry(labels={"fleet": ""})) == []
    assert woken(wake, None, entry()) == []
    old, new = entry(labels={"fleet": "north"}), entry(labels={"fleet": "south"})
    assert woken(wake, old, new) == sea("north", "south")
    assert woken(label("fleet", "port"), None, new) == [Key("port", "south")]


def test_a_function_wakes_what_it_makes_of_old_and_new() -> None:
    wake = mapped(lambda one: [Key("x", one.meta.resource_version), Key("x", "all")])
    assert woken(wake, entry(version=1), entry(version=2)) == [
        Key("x", "1"),
        Key("x", "all"),
        Key("x", "2"),
    ]


def test_a_condition_keeps_others_asleep() -> None:
    wake = when(lambda change: change.moves_generation, itself)
    assert woken(wake, entry(generation=1), entry(generation=1)) == []
    assert woken(wake, entry(generation=1), entry(generation=2)) == sea("a")
