"""Requests for certificates say who asked; decisions come through their own endpoint."""

from kedge.apiserver.builtin.signingrequests import SigningRequestStrategy
from kedge.apiserver.resource import Context, Object

HOOKS = SigningRequestStrategy()
NOW = "2026-01-01T00:00:00Z"
APPROVED: Object = {"type": "Approved", "status": "True", "reason": "r", "message": "m"}


def request(*conditions: Object) -> Object:
    obj: Object = {"metadata": {"name": "a", "resourceVersion": "1"}, "spec": {"usages": ["any"]}}
    obj["status"] = {"conditions": [dict(one) for one in conditions]}
    return obj


def through(subresource: str, new: Object, old: Object) -> Object:
    HOOKS.prepare_update(new, old, Context(subresource=subresource, now=NOW))
    return new


def test_who_asks_is_written_down_and_can_not_be_faked() -> None:
    obj = request(APPROVED)
    obj["spec"] |= {"username": "root", "groups": ["system:masters"], "uid": "0"}
    context = Context(user="ann", groups=("a", "b"), extra={"scope": ("x",)})
    HOOKS.prepare_create(obj, context)
    assert obj["spec"] == {
        "usages": ["any"],
        "username": "ann",
        "groups": ["a", "b"],
        "extra": {"scope": ["x"]},
    }
    assert obj["status"] == {}


def test_an_approval_gets_its_times() -> None:
    new = through("approval", request(APPROVED), request())
    (condition,) = new["status"]["conditions"]
    assert condition == {**APPROVED, "lastUpdateTime": NOW, "lastTransitionTime": NOW}


def test_an_approval_can_not_set_the_certificate() -> None:
    old = request()
    old["status"]["certificate"] = "b2xk"
    new = request(APPROVED)
    new["status"]["certificate"] = "bmV3"
    assert through("approval", new, old)["status"]["certificate"] == "b2xk"


def test_the_status_endpoint_leaves_a_decision_as_it_was() -> None:
    decided = {**APPROVED, "lastUpdateTime": "then", "lastTransitionTime": "then"}
    new = through("status", request({**APPROVED, "reason": "other"}), request(decided))
    assert new["status"]["conditions"] == [decided]


def test_the_main_endpoint_changes_neither_spec_nor_status() -> None:
    new, old = request(APPROVED), request()
    new["spec"] = {"usages": ["signing"]}
    through("", new, old)
    assert (new["spec"], new["status"]) == (old["spec"], old["status"])


def test_a_decision_can_not_be_taken_back() -> None:
    old = request({**APPROVED, "lastUpdateTime": NOW, "lastTransitionTime": NOW})
    new = through("approval", request(), old)
    errors = HOOKS.validate_update(new, old, Context(subresource="approval"))
    assert 'updates may not remove a condition of type "Approved"' in [e.detail for e in errors]


def test_each_endpoint_owns_what_it_writes() -> None:
    assert HOOKS.reset_fields("approval") == (("spec",), ("status", "certificate"))
    assert HOOKS.reset_fields("status") == (("spec",), ("status", "conditions"))
    assert HOOKS.reset_fields("") == (("spec",), ("status",))
