import pytest

from kedge.apiserver.crd.fieldpath import FieldPathError, resolve

SCHEMA = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "properties": {
                "a": {"type": "string"},
                "m": {"additionalProperties": {"type": "integer"}},
            },
        }
    },
}


@pytest.mark.parametrize(
    ("text", "path", "kind"),
    [
        (".spec.a", "spec.a", "string"),
        (".spec['a']", "spec.a", "string"),
        (".spec.m.key", "spec.m[key]", "integer"),
        (".spec.m['a.b']", "spec.m[a.b]", "integer"),
        (r".spec.m['it\'s']", "spec.m[it's]", "integer"),
    ],
)
def test_a_path_leads_to_a_field(text: str, path: str, kind: str) -> None:
    found, node = resolve(text, SCHEMA)
    assert found == path
    assert node is not None
    assert node["type"] == kind


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("spec", "expected [ or . but got: spec"),
        (".spec.none", "does not refer to a valid field"),
        (".spec.a.b", "does not refer to a valid field"),
        (".spec.", "unexpected end of JSON path"),
        (".spec[a]", "expected single quoted string but got a"),
        (".spec['a'", "unexpected end of JSON path"),
        (r".spec.m['\q']", r"invalid string literal: invalid escape char \q"),
    ],
)
def test_a_path_to_nowhere_says_why(text: str, message: str) -> None:
    with pytest.raises(FieldPathError) as caught:
        resolve(text, SCHEMA)
    assert str(caught.value) == message


def test_brackets_can_be_forbidden() -> None:
    with pytest.raises(FieldPathError, match="array notation is not allowed"):
        resolve(".spec['a']", SCHEMA, brackets=False)
