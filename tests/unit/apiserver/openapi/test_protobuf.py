"""The protobuf form says what the JSON form says."""

from typing import Any

from kedge.apiserver.openapi import protobuf


def fields(data: bytes) -> dict[int, list[Any]]:
    """Take a message apart by the wire format."""
    found: dict[int, list[Any]] = {}
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            value: Any = varint()
        elif key & 7 == 1:
            value, at = data[at : at + 8], at + 8
        else:
            size = varint()
            value, at = data[at : at + size], at + size
        found.setdefault(key >> 3, []).append(value)
    return found


DOCUMENT: dict[str, Any] = {
    "swagger": "2.0",
    "info": {"title": "Kubernetes", "version": "1.34"},
    "paths": {
        "/a/{name}": {
            "patch": {
                "consumes": ["application/json"],
                "produces": ["application/json", "application/yaml"],
                "schemes": ["https"],
                "tags": ["core_v1"],
                "operationId": "patchA",
                "parameters": [
                    {"name": "body", "in": "body", "required": True, "schema": {"$ref": "#/x"}},
                    {"name": "dryRun", "in": "query", "type": "string", "uniqueItems": True},
                ],
                "responses": {"200": {"description": "OK", "schema": {"$ref": "#/x"}}},
                "x-kubernetes-action": "patch",
            },
            "parameters": [{"name": "name", "in": "path", "type": "string", "required": True}],
        }
    },
    "definitions": {
        "x": {
            "type": "object",
            "required": ["a"],
            "properties": {
                "a": {
                    "type": "array",
                    "items": {"type": "string"},
                    "x-kubernetes-list-type": "set",
                },
                "b": {"type": "object", "additionalProperties": {"type": "integer"}},
                "c": {"type": "number", "maximum": 1.5, "minItems": 2, "enum": [1, "x"]},
            },
        }
    },
    "securityDefinitions": {
        "BearerToken": {
            "type": "apiKey",
            "name": "authorization",
            "in": "header",
            "description": "x",
        }
    },
    "security": [{"BearerToken": []}],
}


def test_the_document_has_its_parts_under_their_numbers() -> None:
    found = fields(protobuf.encode(DOCUMENT))
    assert found[1] == [b"2.0"]
    assert fields(found[2][0]) == {1: [b"Kubernetes"], 2: [b"1.34"]}
    assert sorted(found) == [1, 2, 8, 9, 12, 13]


def test_an_operation_has_its_parameters_and_extensions() -> None:
    (path,) = fields(fields(protobuf.encode(DOCUMENT))[8][0])[2]
    assert fields(path)[1] == [b"/a/{name}"]
    item = fields(fields(path)[2][0])
    operation = fields(item[8][0])
    assert (operation[1], operation[5]) == ([b"core_v1"], [b"patchA"])
    assert operation[6] == [b"application/json", b"application/yaml"]
    body, query = (fields(fields(one)[1][0]) for one in operation[8])
    assert fields(body[1][0])[2] == [b"body"]
    assert fields(fields(query[2][0])[3][0]) == {
        2: [b"query"],
        4: [b"dryRun"],
        6: [b"string"],
        20: [1],
    }
    extension = fields(operation[13][0])
    assert extension[1] == [b"x-kubernetes-action"]
    assert fields(extension[2][0]) == {2: [b'"patch"']}
    in_path = fields(fields(fields(fields(item[9][0])[1][0])[2][0])[4][0])
    assert in_path == {1: [1], 2: [b"path"], 4: [b"name"], 5: [b"string"]}


def test_a_schema_has_its_structure() -> None:
    (named,) = fields(fields(protobuf.encode(DOCUMENT))[9][0])[1]
    schema = fields(fields(named)[2][0])
    assert schema[19] == [b"a"]
    assert fields(schema[22][0]) == {1: [b"object"]}
    a, b, c = (fields(fields(one)[2][0]) for one in fields(schema[25][0])[1])
    assert fields(fields(fields(a[23][0])[1][0])[22][0]) == {1: [b"string"]}
    assert fields(a[31][0])[1] == [b"x-kubernetes-list-type"]
    assert fields(fields(fields(b[21][0])[1][0])[22][0]) == {1: [b"integer"]}
    assert c[15] == [2]
    assert [fields(one)[2] for one in c[20]] == [[b"1"], [b'"x"']]
