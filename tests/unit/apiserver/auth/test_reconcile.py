"""The server's own roles and bindings are kept up to date at every start."""

from copy import deepcopy
from typing import Any

from kedge.apiserver.auth.bootstrap import AUTOUPDATE, roles_and_bindings
from kedge.apiserver.auth.reconcile import Step, reconcile

PODS = {"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}


def named(name: str, kind: str) -> dict[str, Any]:
    found = (
        obj
        for obj in roles_and_bindings()
        if obj["kind"] == kind and obj["metadata"]["name"] == name
    )
    return next(found)


def stored(obj: dict[str, Any]) -> dict[str, Any]:
    copy = deepcopy(obj)
    copy["metadata"].update(uid="1", resourceVersion="7")
    return copy


def test_what_is_not_there_is_created() -> None:
    role = named("view", "ClusterRole")
    assert reconcile(None, role) == Step("create", role)


def test_what_is_as_it_should_be_is_kept() -> None:
    for obj in roles_and_bindings():
        assert reconcile(stored(obj), obj) == Step("keep")


def test_rights_that_were_taken_away_come_back_one_by_one() -> None:
    role = named("system:node-problem-detector", "ClusterRole")
    cut = stored(role)
    cut["rules"] = [PODS]
    action, wanted = reconcile(cut, role)
    assert action == "update"
    assert wanted is not None
    assert wanted["rules"][:2] == [
        PODS,
        {"verbs": ["get"], "apiGroups": [""], "resources": ["nodes"]},
    ]
    assert reconcile(wanted, role) == Step("keep")
    assert wanted["metadata"]["resourceVersion"] == "7"


def test_what_others_have_added_stays() -> None:
    role = named("system:discovery", "ClusterRole")
    more = stored(role)
    more["rules"].append(PODS)
    more["metadata"]["labels"]["mine"] = "yes"
    assert reconcile(more, role) == Step("keep")


def test_labels_that_were_taken_away_come_back() -> None:
    role = named("system:discovery", "ClusterRole")
    bare = stored(role)
    del bare["metadata"]["labels"]
    action, wanted = reconcile(bare, role)
    assert action == "update"
    assert wanted is not None
    assert wanted["metadata"]["labels"] == role["metadata"]["labels"]


def test_an_object_can_opt_out() -> None:
    role = named("system:discovery", "ClusterRole")
    protected = stored(role)
    protected["rules"] = []
    protected["metadata"]["annotations"][AUTOUPDATE] = "false"
    assert reconcile(protected, role) == Step("keep")


def test_subjects_of_a_binding_come_back() -> None:
    binding = named("system:discovery", "ClusterRoleBinding")
    other = stored(binding)
    mine = {"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": "me"}
    other["subjects"] = [mine]
    action, wanted = reconcile(other, binding)
    assert action == "update"
    assert wanted is not None
    assert wanted["subjects"] == [mine, *binding["subjects"]]


def test_a_binding_to_another_role_is_made_anew() -> None:
    binding = named("system:discovery", "ClusterRoleBinding")
    other = stored(binding)
    other["roleRef"]["name"] = "view"
    assert reconcile(other, binding) == Step("recreate", binding)


def test_selectors_of_an_aggregated_role_come_back_and_do_not_come_where_none_belong() -> None:
    view = named("view", "ClusterRole")
    other = stored(view)
    mine = {"matchLabels": {"mine": "yes"}}
    other["aggregationRule"] = {"clusterRoleSelectors": [mine]}
    wanted = reconcile(other, view).obj
    assert wanted is not None
    selectors = wanted["aggregationRule"]["clusterRoleSelectors"]
    assert selectors == [mine, *view["aggregationRule"]["clusterRoleSelectors"]]
    plain = named("system:discovery", "ClusterRole")
    gathering = stored(plain)
    gathering["aggregationRule"] = {"clusterRoleSelectors": [mine]}
    wanted = reconcile(gathering, plain).obj
    assert wanted is not None
    assert "aggregationRule" not in wanted
