"""YAML becomes the JSON that a Kubernetes server makes of it."""

from typing import Any

import pytest

from kedge.kube.goerror import GoError
from kedge.kube.yamlscalars import Dialect
from kedge.kube.yamltext import MAX_DEPTH, read_yaml


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("# nothing", None),
        ("a: [yes, No, on, y, ~, null, '']", {"a": [True, False, True, True, None, None, ""]}),
        ("[0x10, 010, 0o10, 1_000, -0b11, 1e2, 1.0, .5]", [16, 8, 8, 1000, -3, 100, 1, 0.5]),
        ("[2024-01-01, 2024-01-01T00:00:00Z]", ["2024-01-01", "2024-01-01T00:00:00Z"]),
        ("['1', !!str 1, 1:30]", ["1", "1", "1:30"]),
        ("a: 99999999999999999999", {"a": 1e20}),
        ("a: 1e400", {"a": "1e400"}),
        ("1: x\nyes: w\n1.5: z", {"1": "x", "1.5": "z", "true": "w"}),
        ("x: &a {b: c}\nz: *a", {"x": {"b": "c"}, "z": {"b": "c"}}),
        ("x: &a {b: c}\nz: {<<: *a, d: e}", {"x": {"b": "c"}, "z": {"b": "c", "d": "e"}}),
        ("a: !!binary YQ==\nb: !foo x", {"a": "a", "b": "x"}),
        ("a: 1\n---\nb: [", {"a": 1}),
    ],
)
def test_scalars_keys_and_aliases(text: str, value: Any) -> None:
    assert read_yaml(text.encode()).value == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[yes, No, on, y, TRUE, false]", ["yes", "No", "on", "y", True, False]),
        ("[0x10, 010, 0o10, 1_000, 1e2, 1.10]", [16, 8, 8, 1000, 100, 1.1]),
        ("{<<: {k: v, l: w}, k: own}", {"k": "own", "l": "w"}),
        ("{k: own, <<: {k: v, l: w}}", {"k": "own", "l": "w"}),
        ("{<<: [{k: first}, {k: second, l: w}]}", {"k": "first", "l": "w"}),
    ],
)
def test_version_3_of_go_yaml_knows_fewer_truths_and_keys_of_its_own_win(
    text: str, value: Any
) -> None:
    document = read_yaml(text, Dialect.V3)
    assert document.value == value
    assert not document.strict_error


def test_version_2_of_go_yaml_takes_merged_keys_for_any_others() -> None:
    document = read_yaml("{k: own, <<: {k: v}}")
    assert document.value == {"k": "v"}
    assert document.strict_error.endswith('line 1: key "k" already set in map')


def test_keys_come_out_sorted() -> None:
    assert list(read_yaml(b"{z: 1, a: 2, m: 3}").value) == ["a", "m", "z"]


def test_an_alias_is_a_copy_of_its_own() -> None:
    value = read_yaml(b"x: &a {b: c}\nz: *a").value
    value["x"]["b"] = "changed"
    assert value["z"] == {"b": "c"}


def test_doubled_keys_are_told_with_their_line_and_the_last_one_counts() -> None:
    document = read_yaml(b"a: 1\nb: {c: 1, c: 2}\na: 3")
    assert document.value == {"a": 3, "b": {"c": 2}}
    assert document.strict_error == (
        "yaml: unmarshal errors:\n"
        '  line 2: key "c" already set in map\n'
        '  line 3: key "a" already set in map'
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: {b\n", "yaml: line 1: did not find expected ',' or '}'"),
        ("\ta: x", "yaml: found character that cannot start any token"),
        ("a: b\n c: d", "yaml: line 2: mapping values are not allowed in this context"),
        ("a: *b", "yaml: unknown anchor 'b' referenced"),
        ("a: &a [*a]", "yaml: anchor 'a' value contains itself"),
        ("? [a]\n: b", 'yaml: invalid map key: []interface {}{"a"}'),
        ("~: m", 'unsupported map key of type: %!s(<nil>), key: <nil>, value: "m"'),
        ("a: .inf", "json: unsupported value: +Inf"),
        ("a: !!int x", "yaml: cannot decode !!str `x` as a !!int"),
        ("a: !!binary '*'", "yaml: !!binary value contains invalid base64 data"),
        ("<<: 5", "yaml: map merge requires map or sequence of maps as the value"),
        ("a\x00", "yaml: control characters are not allowed"),
        (
            "a:\n  " + "[" * MAX_DEPTH + "]" * MAX_DEPTH,
            f"yaml: line 2: exceeded max depth of {MAX_DEPTH}",
        ),
    ],
)
def test_a_fault_is_told_in_go_yamls_words(text: str, message: str) -> None:
    with pytest.raises(GoError) as caught:
        read_yaml(text.encode())
    assert caught.value.text == message


def test_a_small_text_can_not_grow_huge_through_aliases() -> None:
    lines = ["a0: &a0 [x,x,x,x,x,x,x,x,x]"]
    lines += [f"a{n + 1}: &a{n + 1} [{','.join([f'*a{n}'] * 9)}]" for n in range(9)]
    with pytest.raises(GoError, match="document contains excessive aliasing"):
        read_yaml("\n".join(lines).encode())


def test_a_text_as_deep_as_go_yaml_reads_is_read() -> None:
    depth = MAX_DEPTH - 1
    assert read_yaml(b"a: " + b"[" * depth + b"]" * depth).value
