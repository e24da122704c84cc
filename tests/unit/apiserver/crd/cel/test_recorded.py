"""Expressions of all kinds: what is refused, with which words, and what comes out."""

from typing import Any

import pytest

from kedge.apiserver.crd.definition import DefinitionStrategy
from kedge.apiserver.crd.schema.compile import Body
from kedge.apiserver.resource import Context
from tests.unit.apiserver.crd.recording import lines
from tests.unit.apiserver.crd.samples import crd, created, version

HEAD, *CASES = lines("expressions")
SCHEMA: dict[str, Any] = HEAD["schema"]


def with_rule(text: str) -> dict[str, Any]:
    rule = {"rule": text, "message": "m"} if "\n" in text else {"rule": text}
    return {**SCHEMA, "x-kubernetes-validations": [rule]}


@pytest.mark.parametrize("case", CASES, ids=lambda case: repr(case["rule"])[:60])
def test_an_expression_is_refused_in_cels_words(case: Any) -> None:
    definition = created(crd(version(schema=with_rule(case["rule"]))))
    errors = DefinitionStrategy().validate(definition, Context())
    mark = '"OptionalOldSelf":null}: '
    assert [error.body.split(mark, 1)[-1] for error in errors] == case["problems"]


@pytest.mark.parametrize(
    "case",
    [case for case in CASES if not case["problems"]],
    ids=lambda case: repr(case["rule"])[:60],
)
def test_an_expression_has_the_value_it_has_in_kubernetes(case: Any) -> None:
    body = Body(with_rule(case["rule"]))
    for old, expected in ((None, case["new"]), (HEAD["old"], case["old"])):
        run = body.run_rules(HEAD["new"], old)
        assert run is not None
        assert [error.body for error in run.errors] == expected
