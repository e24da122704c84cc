"""What may be asked of the logs of a pod."""

from typing import Any

import pytest

from kedge.apiserver.builtin.pods.logs import check_container, check_options
from kedge.kube.errors import BadRequest, Invalid


def pod(*names: str, inits: tuple[str, ...] = ()) -> dict[str, Any]:
    spec = {
        "containers": [{"name": name} for name in names],
        "initContainers": [{"name": name} for name in inits],
    }
    return {"metadata": {"name": "p"}, "spec": spec}


@pytest.mark.parametrize(
    ("numbers", "since", "field"),
    [
        ({"tailLines": -1}, "", "tailLines"),
        ({"limitBytes": 0}, "", "limitBytes"),
        ({"sinceSeconds": 0}, "", "sinceSeconds"),
        ({"sinceSeconds": 5}, "2024-01-01T00:00:00Z", ""),
    ],
)
def test_numbers_that_make_no_sense_are_refused(
    numbers: dict[str, int | None], since: str, field: str
) -> None:
    with pytest.raises(Invalid) as caught:
        check_options("p", numbers, since)
    assert [cause.get("field", "") for cause in (caught.value.details or {})["causes"]] == [field]


def test_sensible_numbers_pass() -> None:
    check_options("p", {"tailLines": 0, "limitBytes": 1, "sinceSeconds": None}, "")


def test_the_only_container_need_not_be_named() -> None:
    check_container(pod("c"), "")
    check_container(pod("c", inits=("i",)), "i")


def test_one_of_several_containers_must_be_named() -> None:
    with pytest.raises(BadRequest) as caught:
        check_container(pod("a", "b", inits=("i",)), "")
    assert caught.value.message == (
        "a container name must be specified for pod p, "
        "choose one of: [a b] or one of the init containers: [i]"
    )


def test_a_container_must_be_there() -> None:
    with pytest.raises(BadRequest, match="container x is not valid for pod p"):
        check_container(pod("c"), "x")
