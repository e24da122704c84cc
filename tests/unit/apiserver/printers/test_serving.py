"""Rows of lists that are sorted."""

from kedge.apiserver.printers.serving import flow_schema_order
from kedge.apiserver.resource import Object


def test_flow_schemas_are_listed_in_the_order_in_which_they_are_tried() -> None:
    schemas: list[Object] = [
        {"metadata": {"name": name}, "spec": {"matchingPrecedence": precedence}}
        for name, precedence in (("b", 900), ("a", 900), ("z", 1), ("c", 10000))
    ]
    schemas.sort(key=flow_schema_order)
    assert [schema["metadata"]["name"] for schema in schemas] == ["z", "a", "b", "c"]
