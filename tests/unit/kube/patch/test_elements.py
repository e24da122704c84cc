from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.kube.patch.elements import Elements, StrategicError, element_kind

WORDS = st.lists(st.sampled_from("abcdefgh"), max_size=6)


def test_items_of_one_type_have_it() -> None:
    assert element_kind([1], [2, 3]) is int
    assert element_kind([], [{}]) is dict


@pytest.mark.parametrize(
    ("lists", "message"),
    [
        ([[], []], "no elements in any of the given slices"),
        ([["a"], [1]], "list element types are not identical: [[a] [1]]"),
        ([[True, 1]], "list element types are not identical: [[true 1]]"),
        ([[None]], "list element types are not identical: [[<nil>]]"),
        ([[[1]]], "lists of lists are not supported"),
    ],
)
def test_items_of_several_types_are_refused(lists: list[list[Any]], message: str) -> None:
    with pytest.raises(StrategicError) as raised:
        element_kind(*lists)
    assert str(raised.value) == message


def test_items_are_the_same_by_key_or_by_value_and_type() -> None:
    by_name = Elements("name")
    assert by_name.equal({"name": "a", "x": 1}, {"name": "a", "x": 2})
    assert not by_name.equal({"name": 1}, {"name": True})
    assert by_name.equal({"name": {"a": 1}}, {"name": {"a": 1}})
    assert not Elements("").equal(1, 1.0)


@pytest.mark.parametrize(
    ("item", "message"),
    [
        ("x", "expected a map[string]interface {}, but received a string"),
        ({"a": 1}, "map: map[a:1] does not contain declared merge key: name"),
    ],
)
def test_an_item_that_can_not_be_told_apart_is_refused(item: Any, message: str) -> None:
    elements = Elements("name")
    for check in (elements.identity, lambda item: elements.equal({"name": "a"}, item)):
        with pytest.raises(StrategicError) as raised:
            check(item)
        assert str(raised.value) == message


@given(WORDS)
def test_distinct_items_are_each_there_once(words: list[str]) -> None:
    found = Elements("").distinct(words)
    assert sorted(found) == sorted(set(words))
    assert found[:1] == words[:1]


@given(WORDS.map(lambda words: list(dict.fromkeys(words))), st.randoms(), st.data())
def test_told_items_keep_their_order_and_so_do_the_others(
    live: list[str], random: Any, data: st.DataObject
) -> None:
    wanted = data.draw(st.lists(st.sampled_from(live), unique=True)) if live else []
    merged = list(live)
    random.shuffle(merged)
    result = Elements("").in_order(merged, wanted=wanted, live=live)
    assert [item for item in result if item in wanted] == wanted
    others = [item for item in live if item not in wanted]
    assert [item for item in result if item not in wanted] == others
