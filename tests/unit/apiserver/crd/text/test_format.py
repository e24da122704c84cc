from typing import Any

import pytest

from kedge.apiserver.crd.text.format import find, is_known
from tests.unit.apiserver.crd.recording import lines

HEAD, *CASES = lines("formats")


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["format"]))
def test_formats_fit_what_kubernetes_takes(case: Any) -> None:
    fits = find(case["format"])
    assert fits is not None
    assert [text for text in HEAD["texts"] if fits(text)] == case["fits"]


@pytest.mark.parametrize(
    ("name", "known"),
    [("date-time", True), ("datetime", True), ("int32", False), ("k8s-short-name", False)],
)
def test_dashes_do_not_count_and_other_formats_are_not_enforced(name: str, known: bool) -> None:
    assert is_known(name) is known
    assert (find(name) is not None) is known


def test_a_duration_too_long_for_64_bits_does_not_fit() -> None:
    fits = find("duration")
    assert fits is not None
    assert not fits("9999999999999999999999h")
