"""Unique names for what is made for an object; they fit into a label. Pure."""

import re
from typing import Final

from kedge.kube.kind import Object

LIMIT: Final = 63
"""Characters of a label's value."""
_ROOM: Final = LIMIT - 36 - 2
"""What a uuid and two hyphens leave."""
_ENDS: Final = ".-"
"""With these no name may end."""
_UUID: Final = re.compile(r"-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")


def nacuuid_for(namespace: str, name: str, uuid: str) -> str:
    """Put a uuid behind namespace and name, as much of these as fits.

    >>> nacuuid_for("shop", "nightly", "0d0b7b2c-ee76-412d-a867-2c23b8aa51ab")
    'shop-nightly-0d0b7b2c-ee76-412d-a867-2c23b8aa51ab'
    """
    whole = _joined(namespace, name, uuid)
    if len(whole) <= LIMIT:
        return whole
    # A piece that ends with a dot before the hyphen would be no part of a name.
    kept = namespace[:_ROOM].rstrip(_ENDS)
    room = max(0, _ROOM - len(namespace))
    return _joined(kept, name[:room].rstrip(_ENDS), uuid)


def reference_to(nacuuid: str, home: str) -> Object:
    """Write, for a status, what is made for an object, and where."""
    return {"nacuuid": nacuuid, "name": nacuuid, "namespace": home}


def can_be_of(nacuuid: str, namespace: str) -> bool:
    """Tell whether a unique name can be that of an object of a namespace.

    It begins with that of the namespace and ends with a uuid: else it could be a name that
    somebody else is going to use, such as that of the next run of a Schedule.

    >>> can_be_of("shop-nightly-0d0b7b2c-ee76-412d-a867-2c23b8aa51ab", "shop")
    True
    >>> can_be_of("shop-nightly-20260131020000", "shop")
    False
    """
    is_theirs = nacuuid.startswith(f"{namespace[:_ROOM].rstrip(_ENDS)}-")
    return is_theirs and _UUID.search(nacuuid) is not None


def _joined(*parts: str) -> str:
    return "-".join(part for part in parts if part)
