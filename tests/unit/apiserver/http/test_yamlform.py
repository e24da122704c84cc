import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from kedge.apiserver.http.yamlform import to_yaml

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(min_size=1), inner),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a", "a"),
        ("", '""'),
        ("true", '"true"'),
        ("y", '"y"'),
        ("Off", '"Off"'),
        ("~", '"~"'),
        ("1", '"1"'),
        ("1e3", '"1e3"'),
        ("0o7", '"0o7"'),
        ("1_000", '"1_000"'),
        (".inf", '".inf"'),
        ("1:30", '"1:30"'),
        ("2020-01-01", '"2020-01-01"'),
        ("2020-01-01T00:00:00Z", '"2020-01-01T00:00:00Z"'),
        ("2020-01", "2020-01"),
        ("=", "="),
        ("<<", "<<"),
        ("a: b", "'a: b'"),
        ("- a", "'- a'"),
        ("a\tb", '"a\\tb"'),
        ("é", "é"),
        ("😀", '"\\U0001F600"'),
        ("a\nb", "|-\n  a\n  b"),
        ("a\nb\n", "|\n  a\n  b"),
    ],
)
def test_texts_are_quoted_as_go_does(text: str, written: str) -> None:
    assert to_yaml({"k": text}).decode() == f"k: {written}\n"


def test_lists_stand_under_their_key() -> None:
    value = {"b": [1, {"x": None, "a": True}], "a": {}, "c": [], "d": 1.5, "e": 1e30}
    assert to_yaml(value).decode() == (
        "a: {}\nb:\n- 1\n- a: true\n  x: null\nc: []\nd: 1.5\ne: 1e+30\n"
    )


def test_numbers_within_keys_go_by_their_value() -> None:
    names = ["a10", "a2", "a", "A", "b", "a_", "1", "01", "10", "ab", "a.b"]
    written = to_yaml(dict.fromkeys(names, 0)).decode().splitlines()
    found = [line.rpartition(":")[0].strip('"') for line in written]
    assert found == ["1", "01", "10", "A", "a", "a.b", "a_", "a2", "a10", "ab", "b"]


@given(JSON)
def test_what_is_written_is_read_again(value: object) -> None:
    text = to_yaml({"k": value}).decode()
    assert yaml.safe_load(text) == {"k": value}
