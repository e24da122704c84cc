"""Names of managers."""

import pytest

from kedge.kube.apply import manager_name


@pytest.mark.parametrize(
    ("field_manager", "user_agent", "name"),
    [
        pytest.param("me", "kubectl/v1.34", "me", id="the request names it"),
        pytest.param("", "kubectl/v1.34 (linux)", "kubectl", id="up to the slash"),
        pytest.param("", "Mozilla 5", "Mozilla 5", id="no slash"),
        pytest.param("", "a\tb\x00c/1", "abc", id="what can not be printed is left out"),
        pytest.param("", "é" * 100, "é" * 64, id="cut at 128 bytes"),
        pytest.param("", "", "unknown", id="nothing"),
        pytest.param("", "/1", "unknown", id="nothing before the slash"),
    ],
)
def test_a_manager_is_named_by_the_request_or_its_user_agent(
    field_manager: str, user_agent: str, name: str
) -> None:
    assert manager_name(field_manager, user_agent) == name
