"""Built-in workloads answer as a real server did: every default, error and warning on record."""

import copy

import pytest

from kedge.kube.patch.merge import merge
from tests.unit.apiserver.builtin import cases, pipeline
from tests.unit.apiserver.builtin.cases import Case

ANSWER = ("code", "causes", "message", "came", "warnings")
CASES = [
    pytest.param(case, id=f"{name}: {case['id']}")
    for name in cases.names()
    for case in cases.load(name)
]


def answer(case: Case) -> Case:
    if "object" in case:
        sent = case["object"]
        return cases.answer_of(sent=sent, **_named(pipeline.create(case["kind"], sent)))
    code, live, _ = pipeline.create(case["kind"], case["base"])
    assert code == 201, live
    sent = merge(live, case["change"])
    subresource = case.get("subresource", "")
    got = pipeline.update(case["kind"], copy.deepcopy(sent), live, subresource)
    return cases.answer_of(sent=sent, **_named(got))


def _named(got: pipeline.Answer) -> Case:
    return dict(zip(("code", "body", "warnings"), got, strict=True))


@pytest.mark.parametrize("case", CASES)
def test_answers_as_the_real_server_did(case: Case) -> None:
    expected, got = {key: case[key] for key in ANSWER if key in case}, answer(case)
    if case.get("any_order"):
        for one in (expected, got):
            one["causes"] = sorted(one.get("causes", []))
    assert got == expected
