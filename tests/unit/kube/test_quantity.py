from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.kube.quantity import (
    DECIMAL,
    FORMAT_ERROR,
    NUMBER_ERROR,
    SUFFIX_ERROR,
    Quantity,
    QuantityError,
    canonical_quantity,
    parse_quantity,
)
from tests.unit.kube.recorded import rows

FACTORS = {
    "": Fraction(1),
    "m": Fraction(1, 1000),
    "u": Fraction(1, 10**6),
    "n": Fraction(1, 10**9),
    "k": Fraction(10**3),
    "M": Fraction(10**6),
    "G": Fraction(10**9),
    "Ki": Fraction(2**10),
    "Mi": Fraction(2**20),
    "Gi": Fraction(2**30),
    "e3": Fraction(1000),
    "e-3": Fraction(1, 1000),
}
NUMBERS = st.from_regex(r"-?[0-9]{1,6}(\.[0-9]{1,3})?", fullmatch=True)
SUFFIXES = st.sampled_from(sorted(FACTORS))


@given(NUMBERS, SUFFIXES)
def test_the_value_is_exact_down_to_a_billionth(number: str, suffix: str) -> None:
    exact = Fraction(number) * FACTORS[suffix]
    away = -1 if exact < 0 else 1
    rounded = away * Fraction(-(-abs(exact) * 10**9 // 1), 10**9)
    assert parse_quantity(number + suffix).fraction() == rounded


@given(NUMBERS, SUFFIXES)
def test_the_canonical_text_has_the_same_value_and_is_stable(number: str, suffix: str) -> None:
    quantity = parse_quantity(number + suffix)
    again = parse_quantity(str(quantity))
    assert again == quantity
    assert hash(again) == hash(quantity)
    assert str(again) == str(quantity)


@given(st.lists(st.tuples(NUMBERS, SUFFIXES), min_size=2, max_size=2))
def test_quantities_compare_as_their_values_do(pair: list[tuple[str, str]]) -> None:
    one, other = (parse_quantity(number + suffix) for number, suffix in pair)
    assert (one < other) == (one.fraction() < other.fraction())
    assert (one == other) == (one.fraction() == other.fraction())


@given(st.text(alphabet="0123456789.+-eEinumkKMGTP ", max_size=12) | st.text(max_size=12))
def test_any_text_is_a_quantity_or_raises_the_one_error(text: str) -> None:
    try:
        quantity = parse_quantity(text)
    except QuantityError:
        return
    assert canonical_quantity(text) == str(quantity)


def outcome(text: str, other: str) -> tuple[str, str | None, int | None]:
    try:
        quantity = parse_quantity(text)
    except QuantityError as error:
        return str(error), None, None
    return "", str(quantity), quantity.compare(parse_quantity(other))


def test_kubernetes_reads_quantities_the_same_way() -> None:
    for text, other, *expected in rows("quantities"):
        assert [*outcome(text, other)] == expected, text


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("1000m", "1"),
        ("1024Mi", "1Gi"),
        ("0.5Gi", "512Mi"),
        ("1.5", "1500m"),
        ("1e3", "1e3"),
        ("1000e3", "1e6"),
        ("12e1", "120"),
        ("0.1n", "1n"),
        ("-0.1n", "-1n"),
        ("100Ki", "100Ki"),
        ("512", "512"),
        ("1023Ki", "1023Ki"),
        ("0.5Ki", "512"),
        ("0.0001Ki", "102400u"),
        ("9Ei", "9223372036854775807"),
        ("-9Ei", "-9223372036854775807"),
        ("000", "0"),
        ("-0", "0"),
        ("+1", "+1"),
        ("1000E", "1"),
    ],
)
def test_the_canonical_form_follows_the_rules_and_quirks(text: str, canonical: str) -> None:
    assert canonical_quantity(text) == canonical


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", FORMAT_ERROR),
        ("abc", FORMAT_ERROR),
        ("1 ", FORMAT_ERROR),
        ("1.2.3", FORMAT_ERROR),
        ("1kk", SUFFIX_ERROR),
        ("1e", SUFFIX_ERROR),
        ("1e99999999999999999999", SUFFIX_ERROR),
        ("1e" + "9" * 40, SUFFIX_ERROR),
        ("Ei", NUMBER_ERROR),
        ("1" * 5000, NUMBER_ERROR),
    ],
)
def test_what_is_no_quantity_is_explained_as_kubernetes_does(text: str, error: str) -> None:
    with pytest.raises(QuantityError) as raised:
        parse_quantity(text)
    assert str(raised.value) == error


def test_the_pattern_is_told_as_kubernetes_does() -> None:
    assert FORMAT_ERROR == (
        "quantities must match the regular expression "
        "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
    )


def test_a_huge_exponent_costs_nothing() -> None:
    huge, huger = parse_quantity("1e2147483640"), parse_quantity("1e2147483641")
    assert huge < huger
    assert parse_quantity("-1e2147483641") < parse_quantity("-1e2147483640")
    assert str(huger) == "10e2147483640"
    assert canonical_quantity("1e-2147483640") == "1e-9"
    assert parse_quantity("-5") < parse_quantity("1e2147483640")


def test_a_long_number_is_kept_whole() -> None:
    digits = "123456789" * 30
    assert canonical_quantity(digits) == digits


def test_a_quantity_is_equal_to_quantities_only() -> None:
    assert parse_quantity("1") != 1
    assert parse_quantity("0") == parse_quantity("0Gi")
    assert hash(parse_quantity("0")) == hash(parse_quantity("0e5"))
    assert Quantity(15, 2, DECIMAL) == parse_quantity("1.5k")
    assert str(Quantity(4, 3, "BinarySI")) == "4000"
    assert str(Quantity(4096, 0, "BinarySI")) == "4Ki"
