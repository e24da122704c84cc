"""Objects side by side, without the values of Secrets."""

import base64
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kedge.engine.restore.diff import diff


def secret(data: dict[str, str], **annotations: str) -> dict[str, Any]:
    metadata: dict[str, Any] = {"name": "s"}
    if annotations:
        metadata["annotations"] = annotations
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": data}


def test_difference_is_shown_as_lines() -> None:
    before = {"kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"a": "1", "b": "2"}}
    after = {**before, "data": {"a": "3", "b": "2"}}
    assert diff(before, after).splitlines() == [
        "--- c (in the cluster)",
        "+++ c (restored)",
        "@@ -1,5 +1,5 @@",
        " data:",
        "-  a: '1'",
        "+  a: '3'",
        "   b: '2'",
        " kind: ConfigMap",
        " metadata:",
    ]


def test_same_objects_have_no_difference() -> None:
    assert diff(secret({"a": "b"}), secret({"a": "b"})) == ""


def test_change_of_a_secret_is_shown_without_its_value() -> None:
    shown = diff(secret({"a": "b2xk", "gone": "eA=="}), secret({"a": "bmV3", "more": "eQ=="}))
    assert "-  a: (not shown)" in shown
    assert "+  a: (not shown, changed)" in shown
    assert "-  gone: (not shown)" in shown
    assert "+  more: (not shown)" in shown


values = st.text("abcdefgh", min_size=6, max_size=9).map(
    lambda text: base64.b64encode(f"secret-{text}".encode()).decode()
)
tables = st.dictionaries(st.sampled_from("xyz"), values)


@given(tables, tables)
def test_no_value_of_a_secret_is_ever_shown(one: dict[str, str], other: dict[str, str]) -> None:
    applied = "kubectl.kubernetes.io/last-applied-configuration"
    before = secret(one, **{applied: json.dumps(secret(one))})
    after = {**secret(other, **{applied: json.dumps(secret(other))}), "stringData": other}
    shown = diff(before, after)
    assert not any(value in shown for value in (*one.values(), *other.values()))
