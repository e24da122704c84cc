from typing import Any

import pytest

from kedge.apiserver.crd.cel.text import format_text
from kedge.apiserver.crd.cel.value import CelError, Duration, Uint


@pytest.mark.parametrize(
    ("template", "args", "expected"),
    [
        ("%s", [["a", "b"]], '["a", "b"]'),
        ("%s", [{"a": 1, "b": "c"}], '{"a":1, "b":"c"}'),
        ("%s", [1.0], "1"),
        ("%s", [None], "null"),
        ("%s", [b"abc"], "abc"),
        ("%s", [Duration(90 * 10**9)], "90s"),
        ("%s", [[b"a", Duration(10**9), 1.5]], '[b"a", duration("1s"), 1.500000]'),
        ("%f", [1234567.891], "1,234,567.891000"),
        ("%.1f", [1234567.891], "1,234,567.9"),
        ("%e", [1234.5], "1.234500\u00d710⁰³"),
        ("%e", [0.00012], "1.200000\u00d710⁻⁰⁴"),
        ("%d of %d", [5, Uint(6)], "5 of 6"),
        ("%x %X %b %o", [255, b"abc", True, 8], "ff 616263 1 10"),
        ("100%%", [], "100%"),
    ],
)
def test_templates_are_filled_in_as_in_kubernetes(
    template: str, args: list[Any], expected: str
) -> None:
    assert format_text(template, args) == expected


@pytest.mark.parametrize(
    ("template", "args"), [("%d", ["x"]), ("%s", []), ("%q", [1]), ("%f", [True]), ("%o", [1.5])]
)
def test_templates_that_do_not_fit_fail(template: str, args: list[Any]) -> None:
    with pytest.raises(CelError):
        format_text(template, args)
