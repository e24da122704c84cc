"""A body tells its version and kind."""

from typing import Any

import pytest

from kedge.apiserver.typed.interpret import Kind, interpret, with_defaults
from kedge.apiserver.typed.jsontext import Pairs
from kedge.kube.goerror import GoError

POD = Kind("", "v1", "Pod")
DEPLOYMENT = Kind("apps", "v1", "Deployment")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, Kind("", "", "")),
        ({}, Kind("", "", "")),
        ({"apiVersion": "apps/v1", "kind": "Deployment"}, DEPLOYMENT),
        ({"APIVERSION": "v1", "Kind": "Pod"}, POD),
        ({"kind": "Pod", "apiVersion": "v1", "KIND": "Secret"}, Kind("", "v1", "Secret")),
        (Pairs([("kind", "Secret"), ("kind", "Pod"), ("apiVersion", "v1")]), POD),
        ({"kind": None, "apiVersion": "/"}, Kind("", "", "")),
    ],
)
def test_the_case_of_the_names_does_not_count(value: Any, expected: Kind) -> None:
    assert interpret(value) == expected


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([], "json: cannot unmarshal array into Go value of type struct {"),
        ({"kind": 3}, "json: cannot unmarshal number into Go struct field .kind of type string"),
        ({"apiVersion": {}}, "cannot unmarshal object into Go struct field .apiVersion of type"),
        ({"apiVersion": "a/b/c"}, "unexpected GroupVersion string: a/b/c"),
    ],
)
def test_what_is_no_kind_is_refused(value: Any, message: str) -> None:
    with pytest.raises(GoError) as caught:
        interpret(value)
    assert message in caught.value.text


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (Kind("", "", ""), DEPLOYMENT),
        (Kind("", "", "Pod"), Kind("apps", "v1", "Pod")),
        (Kind("apps", "", ""), DEPLOYMENT),
        (Kind("batch", "", ""), Kind("batch", "", "Deployment")),
        (POD, POD),
    ],
)
def test_what_is_not_told_is_that_of_the_endpoint(told: Kind, expected: Kind) -> None:
    assert with_defaults(told, DEPLOYMENT) == expected
