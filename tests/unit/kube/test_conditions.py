from kedge.kube.conditions import (
    condition,
    find_condition,
    is_condition,
    remove_condition,
    set_condition,
)

BEFORE, NOW = "2024-01-01T00:00:00Z", "2024-01-02T00:00:00Z"
READY = condition("Ready", "True", "Fine", "all is well")


def test_a_new_condition_comes_last_with_the_time_of_now() -> None:
    other = condition("Other", "False", "Why")
    result = set_condition([other], READY, NOW)
    assert result == [other, READY | {"lastTransitionTime": NOW}]
    assert set_condition(None, READY, NOW) == [READY | {"lastTransitionTime": NOW}]


def test_a_condition_of_the_same_status_keeps_its_time_and_place() -> None:
    old = [READY | {"lastTransitionTime": BEFORE, "extra": 1}, condition("Other", "False", "Why")]
    new = condition("Ready", "True", "StillFine", "and more")
    result = set_condition(old, new, NOW)
    assert result[0] == new | {"lastTransitionTime": BEFORE, "extra": 1}
    assert result[1] == old[1]


def test_a_condition_of_another_status_gets_the_time_of_now() -> None:
    old = [READY | {"lastTransitionTime": BEFORE}]
    new = condition("Ready", "False", "Broken")
    assert set_condition(old, new, NOW) == [new | {"lastTransitionTime": NOW}]
    assert old == [READY | {"lastTransitionTime": BEFORE}]


def test_a_time_that_comes_with_the_condition_is_taken() -> None:
    new = condition("Ready", "False", "Broken") | {"lastTransitionTime": BEFORE}
    assert set_condition([READY], new, NOW) == [new]
    assert set_condition([], new, NOW) == [new]


def test_a_condition_without_a_time_gets_one() -> None:
    assert set_condition([READY], READY, NOW) == [READY | {"lastTransitionTime": NOW}]


def test_conditions_are_found_by_type() -> None:
    assert find_condition([READY], "Ready") == READY
    assert find_condition([READY], "Other") is None
    assert find_condition(None, "Ready") is None
    assert is_condition([READY], "Ready")
    assert not is_condition([READY], "Ready", "False")
    assert not is_condition(None, "Ready")


def test_conditions_are_removed_by_type() -> None:
    other = condition("Other", "False", "Why")
    assert remove_condition([READY, other], "Ready") == [other]
    assert remove_condition(None, "Ready") == []
