import pytest

from kedge.runtime.version import is_older


@pytest.mark.parametrize(
    ("version", "than", "expected"),
    [
        ("9", "10", True),
        ("10", "9", False),
        ("10", "10", False),
        ("", "10", False),
        ("10", "", False),
        ("abc", "10", False),
        ("²", "9", False),
        ("1" * 5000, "2" * 5000, True),
    ],
)
def test_versions_are_compared_as_numbers_of_any_size(
    version: str, than: str, *, expected: bool
) -> None:
    assert is_older(version, than) is expected
