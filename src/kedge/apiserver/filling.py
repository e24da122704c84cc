"""Defaults: filled in while empty lists and maps of the body are still told from missing ones."""

from kedge.apiserver.call import Call
from kedge.apiserver.resource import Object
from kedge.apiserver.typed.decode import Empty
from kedge.apiserver.typed.empties import leave_out, put_back

STORED_AS_JSON = "apiextensions.k8s.io"
"""The group whose objects keep their empty lists."""


def fill_in(call: Call, obj: Object, empties: list[Empty] | None) -> Object:
    """Fill in what the user left out; `empties` are what decoding left out itself."""
    resource = call.resource
    obj.setdefault("metadata", {})
    if not empties or resource.custom or resource.group == STORED_AS_JSON:
        call.empties = None
        resource.strategy.default(obj)
        return obj
    put_back(empties)
    resource.strategy.default(obj)
    call.empties = leave_out(resource.schema, obj)
    return obj
