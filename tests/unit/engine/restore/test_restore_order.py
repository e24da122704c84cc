"""The order in which kinds come back, and the flag that changes it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.engine.restore.order import (
    DEFAULT,
    HIGH,
    LOW,
    Priorities,
    PriorityError,
    names_in,
    ordered,
    parse,
)


@pytest.mark.parametrize(
    ("text", "high", "low"),
    [
        ("", HIGH, LOW),
        ("a,b,-,y,z", ("a", "b"), ("y", "z")),
        ("a,b", ("a", "b"), LOW),
        ("a,b,-", ("a", "b"), LOW),
        ("-,y", HIGH, ("y",)),
        ("-", HIGH, LOW),
    ],
)
def test_flag_is_read(text: str, high: tuple[str, ...], low: tuple[str, ...]) -> None:
    assert parse(text) == Priorities(high, low)


def test_second_separator_is_refused() -> None:
    with pytest.raises(PriorityError, match='multiple priority separator "-" found'):
        parse("a,-,b,-,c")


def test_default_order_puts_what_others_need_first() -> None:
    there = [
        "services",
        "widgets.example.com",
        "pods",
        "deployments.apps",
        "namespaces",
        "clusters.cluster.x-k8s.io",
        "customresourcedefinitions.apiextensions.k8s.io",
        "storageclasses.storage.k8s.io",
        "secrets",
    ]
    assert ordered(there, DEFAULT, lambda name: name) == [
        "customresourcedefinitions.apiextensions.k8s.io",
        "namespaces",
        "storageclasses.storage.k8s.io",
        "secrets",
        "pods",
        "services",
        "deployments.apps",
        "widgets.example.com",
        "clusters.cluster.x-k8s.io",
    ]


def test_short_names_are_resolved() -> None:
    known = {"po": "pods", "deploy": "deployments.apps"}
    priorities = Priorities(("deploy", "po"), ())
    order = ordered(
        ["configmaps", "deployments.apps", "pods"], priorities, lambda one: known.get(one, one)
    )
    assert order == ["deployments.apps", "pods", "configmaps"]


def test_name_that_only_the_archive_knows_is_resolved() -> None:
    resolve = names_in(["widgets.example.com"], lambda name: name)
    assert resolve("widgets") == "widgets.example.com"
    assert resolve("gadgets") == "gadgets"


def test_name_of_both_ends_counts_as_first() -> None:
    assert ordered(["a", "b"], Priorities(("b",), ("b", "a")), str) == ["b", "a"]


names = st.sampled_from([*HIGH, *LOW, "a.b", "widgets.example.com", "zebras"])


@given(st.sets(names), st.lists(names), st.lists(names))
def test_each_resource_comes_once(there: set[str], high: list[str], low: list[str]) -> None:
    order = ordered(there, Priorities(tuple(high), tuple(low)), str)
    assert sorted(order) == sorted(there)
