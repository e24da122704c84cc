"""Services get addresses and ports when they are stored, and keep them as they change."""

import copy
from random import Random
from typing import Any

import pytest

from kedge.apiserver.builtin.allocation import Allocations
from kedge.apiserver.builtin.services import ServiceStrategy
from kedge.apiserver.resource import Context, Object
from kedge.kube.errors import ApiError, InternalError, Invalid

CONTEXT = Context("default")


def strategy() -> ServiceStrategy:
    return ServiceStrategy(Allocations(random=Random(1)))


def service(name: str = "a", **spec: Any) -> Object:
    spec.setdefault("ports", [{"port": 80}])
    return {"metadata": {"name": name, "namespace": "default"}, "spec": spec}


def stored(hooks: ServiceStrategy, obj: Object) -> Object:
    """Create a service, and tell the hooks that it is stored."""
    hooks.default(obj)
    hooks.prepare_create(obj, CONTEXT)
    assert hooks.validate(obj, CONTEXT) == []
    hooks.learn("default", obj["metadata"]["name"], obj)
    return obj


def changed(hooks: ServiceStrategy, old: Object, **spec: Any) -> Object:
    """Change the spec of a stored service; None takes a field away."""
    new = copy.deepcopy(old)
    for name, value in spec.items():
        if value is None:
            new["spec"].pop(name, None)
        else:
            new["spec"][name] = value
    hooks.default(new)
    hooks.prepare_update(new, old, CONTEXT)
    return new


def test_a_service_gets_an_address_that_no_other_has() -> None:
    hooks = strategy()
    ips = {stored(hooks, service(str(index)))["spec"]["clusterIP"] for index in range(100)}
    assert len(ips) == 100


def test_a_service_that_goes_gives_its_address_back() -> None:
    hooks = strategy()
    stored(hooks, service(clusterIP="10.0.0.9"))
    with pytest.raises(Invalid, match="provided IP is already allocated"):
        stored(hooks, service("b", clusterIP="10.0.0.9"))
    hooks.learn("default", "a", None)
    stored(hooks, service("b", clusterIP="10.0.0.9"))


def test_a_port_that_can_not_be_had_gives_the_address_back() -> None:
    hooks = strategy()
    bad = service(type="NodePort", clusterIP="10.0.0.9", ports=[{"port": 80, "nodePort": 3}])
    with pytest.raises(Invalid, match="provided port is not in the valid range"):
        stored(hooks, bad)
    stored(hooks, service("b", clusterIP="10.0.0.9"))


def test_no_address_left_is_an_internal_error() -> None:
    hooks = strategy()
    for index in range(254):
        stored(hooks, service(str(index)))
    with pytest.raises(InternalError) as caught:
        stored(hooks, service("late"))
    assert caught.value.message == (
        "Internal error occurred: failed to allocate a serviceIP: range is full"
    )


def test_the_same_port_in_two_protocols_gets_one_port_of_the_nodes() -> None:
    ports = [
        {"name": "a", "port": 53, "protocol": "TCP"},
        {"name": "b", "port": 53, "protocol": "UDP"},
    ]
    made = stored(strategy(), service(type="NodePort", ports=ports))
    first, second = made["spec"]["ports"]
    assert first["nodePort"] == second["nodePort"]


def test_a_load_balancer_with_local_traffic_gets_a_port_for_health_checks() -> None:
    made = stored(strategy(), service(type="LoadBalancer", externalTrafficPolicy="Local"))
    assert made["spec"]["healthCheckNodePort"] in range(30000, 32768)
    assert made["spec"]["healthCheckNodePort"] != made["spec"]["ports"][0]["nodePort"]


def test_a_body_without_addresses_keeps_those_that_were_given() -> None:
    hooks = strategy()
    old = stored(hooks, service(type="NodePort"))
    new = changed(hooks, old, clusterIP=None, clusterIPs=None, ports=[{"port": 80}])
    assert new["spec"] == old["spec"]


def test_an_address_can_not_change() -> None:
    hooks = strategy()
    old = stored(hooks, service())
    new = changed(hooks, old, clusterIP="10.0.0.9")
    errors = [str(error) for error in hooks.validate_update(new, old, CONTEXT)]
    assert 'spec.clusterIPs[0]: Invalid value: ["10.0.0.9"]: may not change once set' in errors


def test_a_service_that_becomes_external_loses_its_address_and_gets_one_again() -> None:
    hooks = strategy()
    old = stored(hooks, service())
    outside = changed(hooks, old, type="ExternalName", externalName="example.com")
    assert "clusterIP" not in outside["spec"]
    assert "ipFamilies" not in outside["spec"]
    assert "internalTrafficPolicy" not in outside["spec"]
    inside = changed(hooks, outside, type="ClusterIP", externalName=None)
    assert inside["spec"]["clusterIP"].startswith("10.0.0.")


def test_a_service_that_is_no_load_balancer_any_more_loses_what_goes_with_it() -> None:
    hooks = strategy()
    old = stored(hooks, service(type="LoadBalancer", externalTrafficPolicy="Local"))
    old["status"] = {"loadBalancer": {"ingress": [{"ip": "192.0.2.1"}]}}
    new = changed(hooks, old, type="ClusterIP")
    for name in ("healthCheckNodePort", "allocateLoadBalancerNodePorts", "externalTrafficPolicy"):
        assert name not in new["spec"]
    assert "nodePort" not in new["spec"]["ports"][0]
    assert new["status"] == {"loadBalancer": {}}


def test_two_ports_of_a_changed_service_can_not_share_a_port_of_the_nodes() -> None:
    hooks = strategy()
    old = stored(hooks, service(type="NodePort"))
    ports = [
        {"name": "a", "port": 80, "nodePort": 31000},
        {"name": "b", "port": 81, "nodePort": 31000},
    ]
    with pytest.raises(ApiError) as caught:
        changed(hooks, old, ports=ports)
    assert (caught.value.code, caught.value.message) == (500, "duplicate nodePort: {TCP 31000}")


def test_the_status_endpoint_leaves_the_spec_alone() -> None:
    hooks = strategy()
    old = stored(hooks, service(type="LoadBalancer"))
    new = copy.deepcopy(old)
    new["spec"] = {}
    new["status"] = {"loadBalancer": {"ingress": [{"ip": "192.0.2.01", "ipMode": "VIP"}]}}
    hooks.prepare_update(new, old, Context("default", "status"))
    assert new["spec"] == old["spec"]
    assert hooks.warnings(new, old) == [
        'status.loadBalancer.ingress[0]: non-standard IP address "192.0.2.01" will be considered '
        'invalid in a future Kubernetes release: use "192.0.2.1"'
    ]


def test_a_new_status_is_not_shared_between_services() -> None:
    hooks = strategy()
    one, two = stored(hooks, service("a")), stored(hooks, service("b"))
    one["status"]["loadBalancer"]["ingress"] = []
    assert two["status"] == {"loadBalancer": {}}
