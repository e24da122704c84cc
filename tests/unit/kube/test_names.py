from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.kube import names

LABEL = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
LOOSE = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' "
    "or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    "for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')"
)
LABEL_1035 = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
    "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', "
    "regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
)
WILDCARD = (
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which "
    "must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric "
    "character (e.g. '*.example.com', regex used for validation is "
    "'\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
QUALIFIED = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
VALUE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', "
    "and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or "
    "'12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)
DATA_KEY = (
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. "
    "'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
)
LONG_63 = "must be no more than 63 characters"
LONG_253 = "must be no more than 253 characters"


@pytest.mark.parametrize(
    ("value", "problems"),
    [
        ("my-name", []),
        ("1", []),
        ("a" * 63, []),
        ("a" * 64, [LONG_63]),
        ("a.b", ["must not contain dots"]),
        (f"{'a' * 64}.b", [LONG_63, "must not contain dots"]),
        ("", [LABEL]),
        ("-a", [LABEL]),
        ("A", [LABEL]),
        ("a\n", [LABEL]),
        ("é" * 32, [LONG_63, LABEL]),
    ],
)
def test_a_label_is_checked(value: str, problems: list[str]) -> None:
    assert names.dns_label(value) == problems


@pytest.mark.parametrize(
    ("value", "problems"),
    [
        ("example.com", []),
        ("a", []),
        ("a" * 253, []),
        ("a" * 254, [LONG_253]),
        ("a..b", [SUBDOMAIN]),
        ("a.", [SUBDOMAIN]),
        ("", [SUBDOMAIN]),
        (".." * 127, [LONG_253, SUBDOMAIN]),
    ],
)
def test_a_subdomain_is_checked(value: str, problems: list[str]) -> None:
    assert names.dns_subdomain(value) == problems


def test_other_forms_of_dns_names_are_checked() -> None:
    assert names.dns_1035_label("a-1") == []
    assert names.dns_1035_label("1-a") == [LABEL_1035]
    assert names.wildcard_subdomain("*.a.b") == []
    assert names.wildcard_subdomain("a.b") == [WILDCARD]
    assert names.dns_subdomain_with_underscore("_a.b_c") == []
    assert names.dns_subdomain_with_underscore("a_") == [LOOSE]


@pytest.mark.parametrize(
    ("value", "problems"),
    [
        ("a", []),
        ("A_b.c-9", []),
        ("example.com/A", []),
        (f"{'p' * 253}/{'n' * 63}", []),
        ("", [f"name part {names.EMPTY}", f"name part {QUALIFIED}"]),
        ("a/", [f"name part {names.EMPTY}", f"name part {QUALIFIED}"]),
        ("/a", [f"prefix part {names.EMPTY}"]),
        ("A/a", [f"prefix part {SUBDOMAIN}"]),
        (f"{'p' * 254}/a", [f"prefix part {LONG_253}"]),
        ("n" * 64, [f"name part {LONG_63}"]),
        ("-", [f"name part {QUALIFIED}"]),
        (
            "a/b/c",
            [
                f"a qualified name {QUALIFIED} with an optional DNS subdomain prefix and '/' "
                "(e.g. 'example.com/MyName')"
            ],
        ),
    ],
)
def test_a_qualified_name_is_checked(value: str, problems: list[str]) -> None:
    assert names.qualified_name(value) == problems


@pytest.mark.parametrize(
    ("value", "problems"),
    [
        ("", []),
        ("v1.2_x-3", []),
        ("v" * 63, []),
        ("v" * 64, [LONG_63]),
        ("-v", [VALUE]),
        ("a b", [VALUE]),
        ("é" * 32, [LONG_63, VALUE]),
    ],
)
def test_a_label_value_is_checked(value: str, problems: list[str]) -> None:
    assert names.label_value(value) == problems


@pytest.mark.parametrize(
    ("value", "problems"),
    [
        ("tls.crt", []),
        ("", [DATA_KEY]),
        ("a/b", [DATA_KEY]),
        (".", ["must not be '.'"]),
        ("..", ["must not be '..'"]),
        ("..a", ["must not start with '..'"]),
        ("k" * 254, [LONG_253]),
    ],
)
def test_a_data_key_is_checked(value: str, problems: list[str]) -> None:
    assert names.data_key(value) == problems


@pytest.mark.parametrize(
    ("name", "whole", "beginning"),
    [
        ("a", [], []),
        (".", ["may not be '.'"], []),
        ("..", ["may not be '..'"], []),
        ("a/b%c", ["may not contain '/'", "may not contain '%'"], None),
        ("system:node", [], []),
        ("", [], []),
    ],
)
def test_a_path_segment_is_checked(
    name: str, whole: list[str], beginning: list[str] | None
) -> None:
    assert names.path_segment(name) == whole
    assert names.path_segment(name, True) == (whole if beginning is None else beginning)


@pytest.mark.parametrize(
    ("check", "message"),
    [
        (names.subdomain_name, SUBDOMAIN),
        (names.label_name, LABEL),
        (names.label_1035_name, LABEL_1035),
    ],
)
def test_the_beginning_of_a_name_may_end_with_a_hyphen(
    check: names.NameCheck, message: str
) -> None:
    assert check("web-", True) == []
    assert check("web-", False) == [message]
    assert check("-", True) == [message]
    assert check("é-", True) == [message]
    assert check("web", True) == []


def test_rules_are_worded_as_kubernetes_does() -> None:
    assert names.in_range(1, 5) == "must be between 1 and 5, inclusive"
    assert names.pattern_rule("no", "x+") == "no (regex used for validation is 'x+')"


@given(st.text(alphabet="aZ9-_./é\n", max_size=12) | st.text(alphabet="aA/.", min_size=60))
def test_the_quick_checks_agree_with_the_thorough_ones(value: str) -> None:
    assert names.is_qualified_name(value) == (not names.qualified_name(value))
    assert names.is_label_value(value) == (not names.label_value(value))


def test_a_huge_text_is_no_qualified_name_and_is_not_remembered() -> None:
    before = names._is_qualified.cache_info().currsize
    assert not names.is_qualified_name("a" * 100_000)
    assert names._is_qualified.cache_info().currsize == before


def test_the_base_of_a_generated_name_is_cut() -> None:
    name = names.generated_name("x" * 70, Random(1))
    assert len(name) == 63
    assert name[:-5] == "x" * 58


@given(st.text(alphabet="a-é", max_size=80), st.integers())
def test_a_generated_name_starts_with_its_base_and_has_63_bytes_at_most(
    base: str, seed: int
) -> None:
    name = names.generated_name(base, Random(seed))
    assert set(name[-5:]) <= set("bcdfghjklmnpqrstvwxz2456789")
    if len(base.encode()) <= 58:
        assert name[:-5] == base
    elif base.isascii():
        assert name[:-5] == base[:58]
    assert name == names.generated_name(base, Random(seed))
