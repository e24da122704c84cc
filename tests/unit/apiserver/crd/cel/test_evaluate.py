import pytest

from kedge.apiserver.crd.cel.compiler import compile_text
from kedge.apiserver.crd.cel.evaluate import Program
from kedge.apiserver.crd.cel.loop import MAX_STEPS
from kedge.apiserver.crd.cel.types import DYN, INT, STRING, list_of
from kedge.apiserver.crd.cel.value import CelError, CostError


def program(text: str, **variables: object) -> Program:
    names = {"a": DYN, "n": INT, "s": STRING, "l": list_of(INT)}
    checked = compile_text(text, names)
    assert not checked.issues
    return checked.program(("a", "n", "s", "l"))


def test_what_decides_wins_over_an_error() -> None:
    assert program("1 / n == 1 || s == 'x'").run(None, 0, "x", []) is True
    assert program("1 / n == 1 && s == 'y'").run(None, 0, "x", []) is False
    with pytest.raises(CelError, match="division by zero"):
        program("1 / n == 1 || s == 'y'").run(None, 0, "x", [])


def test_an_error_in_a_loop_counts_only_if_nothing_decides() -> None:
    exists = program("l.exists(x, 10 / x == 5)")
    assert exists.run(None, 0, "", [0, 2]) is True
    with pytest.raises(CelError):
        exists.run(None, 0, "", [0, 3])


def test_loops_within_loops_have_their_own_variables() -> None:
    nested = program("l.map(x, l.map(y, x * y)) == [[1, 2], [2, 4]]")
    assert nested.run(None, 0, "", [1, 2]) is True


def test_the_wrong_type_at_run_time_is_no_overload() -> None:
    with pytest.raises(CelError, match="no such overload"):
        program("a + 1 == 2").run("x", 0, "", [])


def test_a_loop_that_never_ends_is_ended() -> None:
    side = int(MAX_STEPS**0.5) + 1
    squared = program("l.all(x, l.all(y, x == y || x != y))")
    with pytest.raises(CostError, match="actual cost limit exceeded"):
        squared.run(None, 0, "", list(range(side)))


def test_deep_nesting_is_refused_without_a_crash() -> None:
    checked = compile_text("(" * 300 + "1" + ")" * 300, {})
    assert "expression recursion limit exceeded: 250" in checked.issues


def test_amounts_of_any_exponent_are_told_at_once() -> None:
    assert program("quantity(s).isInteger()").run(None, 0, "1e2000000000", []) is False
    assert program("quantity(s).asApproximateFloat() > 1e300").run(None, 0, "1e2000000000", [])
    with pytest.raises(CelError, match="too far apart"):
        program("quantity(s).add(1).isInteger()").run(None, 0, "1e2000000000", [])


def test_values_whose_types_are_not_known_before_fail_in_words() -> None:
    for text in ("a.orValue(1) == 1", "a.or(optional.of(1)).hasValue()", "quantity(a).isInteger()"):
        with pytest.raises(CelError, match="no such overload"):
            program(text).run(5, 0, "", [])
    assert program("a in {'k': 1}").run([1], 0, "", []) is False
