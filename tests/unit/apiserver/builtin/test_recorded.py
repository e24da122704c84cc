"""Built-in workloads answer as a real server did: every default, error and warning on record."""

import copy

import pytest

from kedge.kube.patch.merge import merge
from tests.unit.apiserver.builtin import cases, pipeline
from tests.unit.apiserver.builtin.cases import Case

ANSWER = ("code", "causes", "message", "came", "warnings")


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


def expected_and_got(case: Case) -> tuple[Case, Case]:
    expected, got = {key: case[key] for key in ANSWER if key in case}, answer(case)
    if case.get("any_order"):
        for one in (expected, got):
            one["causes"] = sorted(one.get("causes", []))
    return expected, got


# One test for a file of them: there are thousands, and each takes less time than a test does.
@pytest.mark.parametrize("name", cases.names())
def test_answers_as_the_real_server_did(name: str) -> None:
    recorded = cases.load(name)
    assert recorded
    pairs = {case["id"]: expected_and_got(case) for case in recorded}
    assert len(pairs) == len(recorded)
    for case_id, (expected, got) in pairs.items():
        assert got == expected, case_id
