"""Empty lists and maps: left out, put back, and forgotten."""

from typing import Any

from kedge.apiserver.kinds.schemas import schema_of_kind
from kedge.apiserver.typed.decode import decode, decode_exactly
from kedge.apiserver.typed.empties import forget, leave_out, put_back
from kedge.kube.schema import Schema


def schema(api_version: str, kind: str) -> Schema:
    found = schema_of_kind(api_version, kind)
    assert found is not None
    return found


def policy() -> dict[str, Any]:
    return {"metadata": {"labels": {}}, "spec": {"podSelector": {}, "ingress": []}}


def test_decoding_tells_what_it_left_out() -> None:
    decoded = decode(schema("networking.k8s.io/v1", "NetworkPolicy"), policy())
    assert decoded.obj == {"metadata": {}, "spec": {"podSelector": {}}}
    put_back(decoded.empties)
    assert decoded.obj == policy()


def test_the_reference_leaves_out_the_same() -> None:
    of_policy = schema("networking.k8s.io/v1", "NetworkPolicy")
    fast, exact = decode(of_policy, policy()), decode_exactly(of_policy, policy())
    assert sorted((key, str(value)) for _, key, value in fast.empties) == sorted(
        (key, str(value)) for _, key, value in exact.empties
    )
    put_back(exact.empties)
    assert exact.obj == policy()


def test_a_value_that_was_filled_in_meanwhile_stays() -> None:
    decoded = decode(schema("networking.k8s.io/v1", "NetworkPolicy"), policy())
    decoded.obj["spec"]["ingress"] = [{}]
    put_back(decoded.empties)
    assert decoded.obj["spec"]["ingress"] == [{}]


def test_a_list_that_is_always_written_stays_until_it_is_stored() -> None:
    role = {"metadata": {"labels": {}}, "rules": []}
    of_role = schema("rbac.authorization.k8s.io/v1", "Role")
    left_out = leave_out(of_role, role)
    assert role == {"metadata": {}, "rules": []}
    assert [key for _, key, _ in left_out] == ["labels"]
    forget(of_role, role)
    assert role == {"metadata": {}, "rules": None}


def test_the_metadata_that_others_hold_on_to_is_the_same_one() -> None:
    revision = {"metadata": {"labels": {}}, "data": {"number": 1.5}, "revision": 1}
    metadata = revision["metadata"]
    forget(schema("apps/v1", "ControllerRevision"), revision)
    assert revision["metadata"] is metadata
    assert metadata == {}
