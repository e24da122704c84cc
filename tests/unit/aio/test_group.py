"""What is told of a group of errors."""

from kedge.aio.group import first_error


def test_the_first_error_of_groups_in_groups_is_given() -> None:
    first, later = KeyError("a"), ValueError("b")
    assert first_error(ExceptionGroup("x", [ExceptionGroup("y", [first, later]), later])) is first


def test_an_error_that_is_alone_is_itself() -> None:
    error = OSError("alone")
    assert first_error(error) is error
