"""Names inside objects are refused like those in a path."""

import pytest

from kedge.apiserver.auth.parameter import check_name, check_namespace
from kedge.kube.errors import BadRequest


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "Name parameter required."),
        ("a%b", "Name parameter invalid: \"a%b\": may not contain '%'"),
        ("a/%", "Name parameter invalid: \"a/%\": may not contain '/';may not contain '%'"),
    ],
)
def test_a_name_that_nothing_can_have_is_refused(name: str, message: str) -> None:
    with pytest.raises(BadRequest) as caught:
        check_name(name)
    assert caught.value.message == message


def test_other_names_pass() -> None:
    check_name("system:x")
    check_namespace("ns")
    with pytest.raises(BadRequest, match="Namespace parameter required"):
        check_namespace("")
