"""Schemas and objects of all kinds: our answers are those of Kubernetes' libraries."""

from typing import Any

import pytest

from kedge.apiserver.crd.schema import embedded, listtype
from kedge.apiserver.crd.schema.check import compile_rule
from kedge.apiserver.crd.schema.default import compile_default, copy
from kedge.apiserver.crd.schema.explain import Explainer
from kedge.apiserver.crd.schema.prune import compile_clean, drop_nulls, prune
from kedge.apiserver.crd.schema.rule import read
from kedge.apiserver.crd.schema.shape import root_of
from kedge.apiserver.crd.schema.twin import Twin
from tests.unit.apiserver.crd.recording import lines, told, written


@pytest.mark.parametrize("case", lines("validate"), ids=lambda case: str(case["schema"])[:60])
def test_validation_tells_what_kubernetes_tells(case: Any) -> None:
    rule = read(case["schema"])
    old = case.get("old")
    twin = Twin(case["new"], old, rule) if "old" in case else None
    faults = Explainer().run(rule, case["new"], "", twin).faults
    assert told([*faults.values()]) == case["errors"]
    if twin is None:
        assert compile_rule(rule)(case["new"]) == (not case["errors"])


@pytest.mark.parametrize("case", lines("process"), ids=lambda case: str(case["new"])[:60])
def test_pruning_and_defaulting_leave_what_kubernetes_leaves(case: Any) -> None:
    shape = root_of(case["schema"])
    obj = copy(case["new"])
    is_clean = compile_clean(shape)(obj)
    assert prune(obj, shape) == case["unknown"]
    drop_nulls(obj, shape)
    assert written(obj) == case["pruned"]
    assert is_clean == (obj == case["new"])
    assert embedded.coerce(obj, shape) == case["coerced"]
    fill = compile_default(shape)
    if fill is not None:
        fill(obj)
    assert written(obj) == case["defaulted"]
    assert told(listtype.repeated(shape, obj)) == case["lists"]
    assert told(embedded.validate(obj, shape)) == case["embedded"]
    is_unique = listtype.compile_unique(shape)
    if case["lists"]:
        assert is_unique is not None
        assert not is_unique(obj)
