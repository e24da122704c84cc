"""Addresses and ports are given out once, and come back when a service goes."""

from ipaddress import IPv4Address, IPv4Network
from random import Random

import pytest

from kedge.apiserver.builtin.allocation import Allocations, Refused, Taking
from kedge.apiserver.resource import Object

SMALL = IPv4Network("10.0.0.0/29")


def allocations() -> Allocations:
    return Allocations(random=Random(1))


def taking(pool: Allocations, owner: str = "default/a", dry_run: bool = False) -> Taking:
    return Taking(pool, owner, dry_run)


def service(*ips: str, ports: tuple[int, ...] = (), health: int = 0) -> Object:
    spec: Object = {"clusterIPs": list(ips), "ports": [{"nodePort": port} for port in ports]}
    if health:
        spec["healthCheckNodePort"] = health
    return {"spec": spec}


def test_addresses_are_drawn_above_those_that_are_asked_for_by_name() -> None:
    pool = allocations()
    drawn = [taking(pool, f"default/{index}").next_ip() for index in range(200)]
    assert len(set(drawn)) == 200
    assert min(IPv4Address(ip) for ip in drawn) >= IPv4Address("10.0.0.17")
    assert max(IPv4Address(ip) for ip in drawn) <= IPv4Address("10.0.0.254")


def test_the_lower_addresses_are_drawn_when_the_others_are_gone() -> None:
    pool = allocations()
    drawn = {taking(pool, f"default/{index}").next_ip() for index in range(254)}
    assert "10.0.0.1" in drawn
    with pytest.raises(Refused, match="range is full"):
        taking(pool).next_ip()


def test_an_address_is_given_by_name_once() -> None:
    pool = allocations()
    taking(pool).ip("10.0.0.9")
    with pytest.raises(Refused, match=r"^provided IP is already allocated$"):
        taking(pool, "default/b").ip("10.0.0.9")


@pytest.mark.parametrize("ip", ["192.168.0.1", "10.0.0.0", "10.0.0.255", "fd00::1"])
def test_an_address_beyond_the_range_is_refused(ip: str) -> None:
    with pytest.raises(Refused, match=r"^the provided network does not match the current range$"):
        taking(allocations()).ip(ip)


def test_what_a_write_took_comes_back_when_it_is_undone() -> None:
    pool = allocations()
    first = taking(pool)
    first.ip("10.0.0.9")
    first.port(30001)
    first.undo()
    second = taking(pool, "default/b")
    second.ip("10.0.0.9")
    second.port(30001)


def test_what_is_stored_is_taken_and_what_is_gone_is_free() -> None:
    pool = allocations()
    pool.learn("default/a", service("10.0.0.9", ports=(30001,), health=30002))
    other = taking(pool, "default/b")
    for number in (30001, 30002):
        with pytest.raises(Refused, match=r"^provided port is already allocated$"):
            other.port(number)
    with pytest.raises(Refused):
        other.ip("10.0.0.9")
    pool.learn("default/a", None)
    other.ip("10.0.0.9")
    other.port(30002)


def test_learning_after_a_write_that_failed_leaves_only_what_is_stored() -> None:
    pool = allocations()
    pool.learn("default/a", service("10.0.0.9"))
    taking(pool).port(30001)
    pool.learn("default/a", service("10.0.0.9"))
    taking(pool, "default/b").port(30001)
    with pytest.raises(Refused):
        taking(pool, "default/b").ip("10.0.0.9")


def test_of_two_services_with_one_address_the_first_keeps_it() -> None:
    pool = allocations()
    pool.learn("default/a", service("10.0.0.9"))
    pool.learn("default/b", service("10.0.0.9"))
    pool.learn("default/b", None)
    with pytest.raises(Refused):
        taking(pool, "default/c").ip("10.0.0.9")


@pytest.mark.parametrize("number", [3, 29999, 32768])
def test_a_port_beyond_the_range_is_refused(number: int) -> None:
    text = "provided port is not in the valid range. The range of valid ports is 30000-32767"
    with pytest.raises(Refused, match=f"^{text}$"):
        taking(allocations()).port(number)


def test_ports_are_drawn_above_those_that_are_asked_for_by_number() -> None:
    pool = allocations()
    drawn = {taking(pool).next_port() for _ in range(500)}
    assert len(drawn) == 500
    assert min(drawn) >= 30086
    assert max(drawn) <= 32767


def test_a_dry_run_takes_nothing_and_shows_what_kubernetes_shows() -> None:
    pool = allocations()
    dry = taking(pool, dry_run=True)
    assert dry.next_ip() == "10.0.0.0"
    assert [dry.next_port(), dry.next_port()] == [32769, 32770]
    dry.ip("10.0.0.9")
    dry.undo()
    assert not pool.ips
    assert not pool.ports


def test_a_dry_run_refuses_an_address_beyond_the_range_and_a_port_that_is_taken() -> None:
    pool = allocations()
    pool.learn("default/a", service(ports=(30001,)))
    dry = taking(pool, "default/b", dry_run=True)
    with pytest.raises(Refused) as caught:
        dry.ip("10.1.0.1")
    assert str(caught.value) == (
        "the provided IP (10.1.0.1) is not in the valid range. "
        "The range of valid IPs is 10.0.0.0/24"
    )
    with pytest.raises(Refused):
        dry.port(30001)


def test_a_small_network_is_used_up_to_the_last_address() -> None:
    pool = Allocations(SMALL, random=Random(1))
    drawn = {taking(pool, str(index)).next_ip() for index in range(6)}
    assert drawn == {f"10.0.0.{last}" for last in range(1, 7)}
