"""What holds for every object: apply and track over objects that hypothesis makes up."""

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.kube.apply import apply, track
from kedge.kube.apply.atoms import atom_of
from kedge.kube.apply.compare import compare
from kedge.kube.apply.contents import of_object
from kedge.kube.apply.sets import difference, intersection, is_empty, union
from kedge.kube.apply.track import NEVER_OWNED
from kedge.kube.errors import Conflict
from tests.unit.kube.apply.shapes import (
    LATER,
    NOW,
    WIDGET,
    WIDGETS,
    Object,
    manager,
    with_entries,
)

NAMES = st.sampled_from(["a", "b"])


def applied(live: Object | None, obj: Object, who: str, now: str = NOW) -> Object:
    result = apply(live, obj, WIDGET, manager(who), True, now)
    return with_entries(result.obj, result.managed)


def tracked(live: Object | None, obj: Object, who: str) -> Object:
    return with_entries(obj, track(None, live, obj, WIDGET, manager(who), NOW))


@given(WIDGETS, WIDGETS)
def test_to_apply_twice_is_to_apply_once(first: Object, second: Object) -> None:
    live = applied(applied(None, first, "a"), second, "b")
    again = apply(live, second, WIDGET, manager("b"), False, LATER)
    assert not again.is_changed
    assert with_entries(again.obj, again.managed) == live


@given(WIDGETS, WIDGETS)
def test_who_lost_fields_to_force_conflicts_when_coming_back(first: Object, second: Object) -> None:
    live = applied(None, first, "a")
    forced = applied(live, second, "b")
    wanted = of_object(first, WIDGET)
    changed, _ = compare(atom_of(WIDGET), live, forced)
    taken = difference(intersection(wanted, changed), NEVER_OWNED)
    if is_empty(taken):
        apply(forced, first, WIDGET, manager("a"), False, LATER)
        return
    with pytest.raises(Conflict) as caught:
        apply(forced, first, WIDGET, manager("a"), False, LATER)
    assert caught.value.details is not None
    owners = {cause["message"] for cause in caught.value.details["causes"]}
    assert owners == {'conflict with "b"'}


def has_empty_parts(value: object) -> bool:
    """Tell whether there is a list or a map with nothing in it, which nobody owns."""
    if isinstance(value, dict):
        return not value or any(map(has_empty_parts, value.values()))
    return isinstance(value, list) and (not value or any(map(has_empty_parts, value)))


FULL = WIDGETS.filter(lambda obj: not has_empty_parts(obj))


@given(FULL, FULL)
def test_a_field_goes_only_with_its_last_owner(first: Object, second: Object) -> None:
    live = applied(applied(None, first, "a"), second, "b")
    nothing = {name: first[name] for name in ("apiVersion", "kind", "metadata")}
    left = applied(live, nothing, "a", LATER)
    mine = difference(of_object(second, WIDGET), NEVER_OWNED)
    assert is_empty(difference(mine, of_object(left, WIDGET)))
    gone = applied(left, nothing, "b", LATER)
    assert gone["metadata"] == {"name": "w"}
    assert not gone.get("spec")


@given(st.lists(st.tuples(st.booleans(), WIDGETS, NAMES), min_size=1, max_size=4))
def test_inputs_are_never_changed(steps: list[tuple[bool, Object, str]]) -> None:
    live: Object | None = None
    for is_apply, obj, who in steps:
        before = json.dumps([live, obj])
        after = applied(live, obj, who) if is_apply else tracked(live, obj, who)
        assert json.dumps([live, obj]) == before
        live = copy.deepcopy(after)


@given(st.lists(st.tuples(WIDGETS, NAMES), min_size=1, max_size=4))
def test_updaters_together_own_exactly_what_is_in_the_object(
    steps: list[tuple[Object, str]],
) -> None:
    live: Object | None = None
    for obj, who in steps:
        live = tracked(live, obj, who)
        entries = live["metadata"].get("managedFields", [])
        every = [entry["fieldsV1"] for entry in entries]
        owned = union(*every) if len(every) == 2 else every[0] if every else {}
        leaves = difference(of_object(obj, WIDGET), NEVER_OWNED)
        if entries:
            assert is_empty(difference(leaves, owned))
            all_there, _ = compare(atom_of(WIDGET), {}, obj)
            assert is_empty(difference(owned, all_there))
        if len(every) == 2:
            assert is_empty(intersection(*every))


@given(WIDGETS)
def test_an_object_does_not_differ_from_its_copy(obj: Object) -> None:
    assert compare(atom_of(WIDGET), obj, copy.deepcopy(obj)) == ({}, {})
