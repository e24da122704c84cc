import pytest

from kedge.kube import formats


@pytest.mark.parametrize(
    ("value", "problems"),
    [
        ("http", []),
        ("a" * 15, []),
        ("a" * 16, ["must be no more than 15 characters"]),
        ("8080", ["must contain at least one letter (a-z)"]),
        ("a--b", ["must not contain consecutive hyphens"]),
        ("-a", ["must not begin or end with a hyphen"]),
        ("a-", ["must not begin or end with a hyphen"]),
        (
            "",
            [
                "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
                "must contain at least one letter (a-z)",
            ],
        ),
        ("Http", ["must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"]),
    ],
)
def test_a_port_name_is_checked(value: str, problems: list[str]) -> None:
    assert formats.port_name(value) == problems


RELAXED = (
    "a valid environment variable name must consist only of printable ASCII characters other "
    "than '='"
)


@pytest.mark.parametrize(
    ("value", "problems"),
    [
        ("PATH", []),
        ("1A", []),
        ("a=b", [RELAXED]),
        ("é", [RELAXED]),
        ("a\tb", [RELAXED]),
        ("", ["environment variable name must be non-empty"]),
        (".", []),
        ("..", []),
        ("..a", []),
    ],
)
def test_an_environment_name_is_checked(value: str, problems: list[str]) -> None:
    assert formats.relaxed_environment_name(value) == problems


def test_other_formats_are_checked() -> None:
    assert formats.identifier("my_name") == []
    assert formats.identifier("1") == [
        "a valid C identifier must start with alphabetic character or '_', followed by a string of "
        "alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used "
        "for validation is '[A-Za-z_][A-Za-z0-9_]*')"
    ]
    assert formats.header_name("X-A") == []
    assert formats.header_name("a b") == [
        "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', "
        "regex used for validation is '[-A-Za-z0-9]+')"
    ]
    assert formats.percent("93%") == []
    assert formats.percent("93") == [
        "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or "
        "'93%', regex used for validation is '[0-9]+%')"
    ]
