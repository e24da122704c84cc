"""Every kind that is no workload has hooks of its own."""

import pytest

from kedge.apiserver.builtin.others import OTHERS
from kedge.apiserver.builtin.plain import Plain
from kedge.apiserver.builtin.registry import strategy_for
from kedge.apiserver.kinds.table import BuiltinResource, builtin

RESOURCES = [one for one in builtin().resources if (one.group, one.kind) in OTHERS]


def test_all_kinds_of_the_table_are_served() -> None:
    assert {(one.group, one.kind) for one in RESOURCES} == set(OTHERS)


@pytest.mark.parametrize("resource", RESOURCES, ids=lambda one: f"{one.group}/{one.kind}")
def test_hooks_know_whether_their_kind_has_namespaces(resource: BuiltinResource) -> None:
    hooks = strategy_for(resource.group, resource.version, resource.kind)
    assert isinstance(hooks, Plain)
    assert hooks.namespaced == resource.namespaced
