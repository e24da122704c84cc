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


STRICT = (
    "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or "
    "'.', and must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or "
    "'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')"
)
RELAXED = (
    "a valid environment variable name must consist only of printable ASCII characters other "
    "than '='"
)


@pytest.mark.parametrize(
    ("value", "strict", "relaxed"),
    [
        ("PATH", [], []),
        ("1A", [STRICT], []),
        ("a=b", [STRICT], [RELAXED]),
        ("é", [STRICT], [RELAXED]),
        ("a\tb", [STRICT], [RELAXED]),
        ("", [STRICT], ["environment variable name must be non-empty"]),
        (".", ["must not be '.'"], []),
        ("..", ["must not be '..'"], []),
        ("..a", ["must not start with '..'"], []),
    ],
)
def test_an_environment_name_is_checked(value: str, strict: list[str], relaxed: list[str]) -> None:
    assert formats.environment_name(value) == strict
    assert formats.relaxed_environment_name(value) == relaxed


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
