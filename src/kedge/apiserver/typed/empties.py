"""Empty lists and maps that were sent: to Go they are not the same as missing ones, until stored.

Decoding leaves them out, as Go does when it writes an object. Defaults and rules of a kind may look
at them, and messages show them, so they are put back for a while.
"""

from typing import Any

from kedge.apiserver.typed.decode import IGNORE, Empty, decode
from kedge.kube.schema import Schema

Object = dict[str, Any]


def put_back(found: list[Empty]) -> None:
    """Put empty values back to where they were, unless another value is there by now."""
    for holder, key, value in found:
        if not holder.get(key):
            holder[key] = value


def leave_out(schema: Schema, obj: Object) -> list[Empty]:
    """Leave out, in place, what Go leaves out when it writes, and give it back.

    Empty lists that Go always writes stay.
    """
    found = _normal(schema, obj)
    put_back([entry for entry in found if entry[1] in entry[0]])  # as null
    return [entry for entry in found if entry[1] not in entry[0]]


def forget(schema: Schema, obj: Object) -> None:
    """Make the object, in place, what comes back from the store: it knows no empty lists."""
    _normal(schema, obj)


def _normal(schema: Schema, obj: Object) -> list[Empty]:
    meta: Object = obj["metadata"]
    decoded = decode(schema, obj, None, IGNORE)
    if decoded.obj is obj:
        return decoded.empties
    # Others hold on to the object and to its metadata.
    new_meta = decoded.obj["metadata"]
    meta.clear()
    meta.update(new_meta)
    obj.clear()
    obj.update(decoded.obj, metadata=meta)
    same = {id(decoded.obj): obj, id(new_meta): meta}
    return [(same.get(id(holder), holder), key, value) for holder, key, value in decoded.empties]
