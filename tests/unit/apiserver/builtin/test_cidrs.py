"""Ranges of addresses are read, shown and warned of as Kubernetes does."""

import pytest

from kedge.apiserver.builtin.cidrs import check_strict_cidr, cidr_warnings, parse_cidr
from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.builtin.strictips import ip_problems


@pytest.mark.parametrize(
    ("text", "network"),
    [
        ("10.1.2.3/8", "10.0.0.0/8"),
        ("010.0.0.0/08", "10.0.0.0/8"),
        ("2001:DB8::1/32", "2001:db8::/32"),
        ("::ffff:1.2.3.4/120", "1.2.3.0/24"),
        ("::ffff:1.2.3.4/64", "::/64"),
        ("0.0.0.0/0", "0.0.0.0/0"),
    ],
)
def test_a_range_is_shown_without_the_bits_beyond_its_prefix(text: str, network: str) -> None:
    cidr = parse_cidr(text)
    assert cidr is not None
    assert cidr.network == network


@pytest.mark.parametrize(
    "text", ["", "10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "foo/8", "::/129", "1.2.3.4/-1", "/8"]
)
def test_what_is_no_range_is_none(text: str) -> None:
    assert parse_cidr(text) is None


@pytest.mark.parametrize("text", ["10.0.0.0/8", "2001:db8::/32", "foo"])
def test_there_is_no_warning_of_a_range_as_it_should_be(text: str) -> None:
    assert cidr_warnings("p", text) == []


def test_a_range_can_be_odd_in_two_ways() -> None:
    assert cidr_warnings("p", "010.0.0.1/8") == [
        'p: CIDR value "010.0.0.1/8" is ambiguous in this context '
        '(should be "10.0.0.0/8" or "10.0.0.1/32"?)',
        'p: non-standard CIDR value "010.0.0.1/8" will be considered invalid in a future '
        'Kubernetes release: use "10.0.0.0/8"',
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("10.0.0.0/8", ""),
        ("foo", "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"),
        ("10.0.0.0/08", "must not have leading 0s in IP or prefix length"),
        ("::ffff:10.0.0.0/104", "must not have an IPv4-mapped IPv6 address"),
        ("10.0.0.1/8", "must not have bits set beyond the prefix length"),
        ("2001:DB8::/32", 'must be in canonical form ("2001:db8::/32")'),
    ],
)
def test_new_fields_take_one_way_to_write_a_range(text: str, problem: str) -> None:
    errors = Errors()
    check_strict_cidr(errors, "p", text)
    assert [error.detail for error in errors] == ([problem] if problem else [])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("10.0.0.1", ""),
        ("2001:db8::1", ""),
        ("foo", "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"),
        ("10.0.0.01", "must not have leading 0s"),
        ("::ffff:10.0.0.01", "must not have leading 0s"),
        ("::ffff:10.0.0.1", "must not be an IPv4-mapped IPv6 address"),
        ("2001:DB8::1", 'must be in canonical form ("2001:db8::1")'),
    ],
)
def test_new_fields_take_one_way_to_write_an_address(text: str, problem: str) -> None:
    assert ip_problems(text) == ([problem] if problem else [])
