"""Merging lists and maps."""

from typing import Any

import pytest

from kedge.kube.apply.atoms import ABSENT, atom_of
from kedge.kube.apply.contents import without
from kedge.kube.apply.merge import merged
from tests.unit.kube.apply.shapes import WIDGET, thing


def merge(live: Any, applied: Any) -> Any:
    return merged(atom_of(WIDGET), thing(live), thing(applied))["spec"]


@pytest.mark.parametrize(
    ("live", "applied", "result"),
    [
        pytest.param("abc", "cba", "cba", id="the order of the configuration"),
        pytest.param("axb", "ba", "xba", id="what only the live list has stays in front"),
        pytest.param("ab", "xa", "xab", id="a new item before"),
        pytest.param("abx", "ab", "abx", id="the rest behind"),
        pytest.param("xay", "ba", "xbay", id="both have items of their own"),
        pytest.param("abcd", "da", "bcda", id="a shared item moves to the front"),
        pytest.param("ab", "", "ab", id="an empty list says nothing"),
        pytest.param("", "ab", "ab", id="into an empty list"),
    ],
)
def test_lists_are_merged_in_kubernetes_order(live: str, applied: str, result: str) -> None:
    assert merge({"tags": list(live)}, {"tags": list(applied)}) == {"tags": list(result)}


def test_items_with_one_key_are_merged() -> None:
    live = {"parts": [{"name": "a", "size": 1}]}
    applied = {"parts": [{"name": "a", "labels": {"x": "y"}}]}
    assert merge(live, applied) == {"parts": [{"name": "a", "size": 1, "labels": {"x": "y"}}]}


def test_items_that_share_a_key_give_way_to_the_new_one() -> None:
    live = {"parts": [{"name": "a", "size": 1}, {"name": "a", "size": 2}, {"name": "b"}]}
    assert merge(live, {"parts": [{"name": "a"}]}) == {"parts": [{"name": "a"}, {"name": "b"}]}


@pytest.mark.parametrize(
    ("live", "applied", "result"),
    [
        pytest.param({"labels": {"a": "x"}}, {"labels": None}, {"labels": {"a": "x"}}, id="map"),
        pytest.param({"tags": ["a"]}, {"tags": None}, {"tags": ["a"]}, id="list"),
        pytest.param({"size": 1}, {"size": None}, {"size": None}, id="scalar"),
        pytest.param({"whole": {"a": "x"}}, {"whole": None}, {"whole": None}, id="atomic map"),
        pytest.param({"labels": {}}, {"labels": None}, {"labels": None}, id="empty map"),
        pytest.param(
            {"whole": {"a": "x"}}, {"whole": {"b": "y"}}, {"whole": {"b": "y"}}, id="atom"
        ),
        pytest.param(
            {"anything": {"a": {"b": 1}}}, {"anything": {"a": 1}}, {"anything": {"a": 1}}, id="kind"
        ),
    ],
)
def test_values_are_merged(live: Any, applied: Any, result: Any) -> None:
    assert merge(live, applied) == result


def test_where_nothing_is_new_the_live_object_comes_back() -> None:
    live = thing({"tags": ["a", "b"], "parts": [{"name": "a", "size": 1}], "args": ["x"]})
    applied = thing({"tags": ["a"], "parts": [{"name": "a"}], "args": ["x"]})
    assert merged(atom_of(WIDGET), live, applied) is live
    assert merged(atom_of(WIDGET), ABSENT, applied) is applied


def test_to_take_out_below_a_scalar_or_a_whole_takes_out_nothing_or_all() -> None:
    obj = thing(
        {"size": 1, "whole": {"a": "x"}, "args": ["x"], "parts": [{"name": "a", "size": 1}]}
    )
    deep: Any = {"f:x": {}}
    parts: Any = {'k:{"name":"a"}': {"f:size": {}}}
    fields = {"f:spec": {"f:size": deep, "f:whole": deep, "f:args": deep, "f:parts": parts}}
    assert without(atom_of(WIDGET), obj, fields)["spec"] == {
        "size": 1,
        "whole": None,
        "args": None,
        "parts": [{"name": "a"}],
    }
