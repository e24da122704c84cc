"""Texts in cells that several kinds have in common."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from kedge.apiserver.resource import Object
from kedge.kube.ages import since
from kedge.kube.requirements import SelectorError
from kedge.kube.selectors import from_object

NONE: Final = "<none>"
UNSET: Final = "<unset>"
UNKNOWN: Final = "<unknown>"

Cells = list[Any]


def name_of(obj: Object) -> str:
    """Give the name; an object of a bookmark has none."""
    name: str = obj["metadata"].get("name", "")
    return name


def age_of(obj: Object, now: datetime) -> str:
    """Tell how long ago the object was created."""
    return since(obj["metadata"].get("creationTimestamp"), now)


def part(obj: Object, *names: str) -> Object:
    """Go down to an object inside this one; an empty one stands for what is not there."""
    for name in names:
        obj = obj.get(name) or {}
    return obj


def containers_of(pod_spec: Object) -> tuple[str, str]:
    """List the names and the images of containers."""
    containers = pod_spec.get("containers") or ()
    names = ",".join(one.get("name", "") for one in containers)
    return names, ",".join(one.get("image", "") for one in containers)


def labels_text(labels: Mapping[str, str] | None) -> str:
    """Write labels as `a=b,c=d`."""
    return ",".join(sorted(f"{key}={value}" for key, value in (labels or {}).items())) or NONE


def selector_text(selector: Mapping[str, Any] | None) -> str:
    """Write a LabelSelector as the text of a selector."""
    try:
        return str(from_object(selector)) or NONE
    except SelectorError:
        return "<error>"


def shortened(texts: Sequence[str], most: int = 3) -> str:
    """List the first few, and tell how many are left out."""
    if len(texts) > most:
        return f"{','.join(texts[:most])} + {len(texts) - most} more..."
    return ",".join(texts)


def balancer_text(status: Object) -> str:
    """List the addresses of a load balancer."""
    points: Iterable[Object] = part(status, "loadBalancer").get("ingress") or ()
    found = {one.get("ip") or one.get("hostname") or "" for one in points}
    return ",".join(sorted(found - {""}))


def lower(text: str) -> str:
    """Make letters small one by one, as Go does."""
    if text.isascii():
        return text.lower()
    return "".join(char.lower()[0] for char in text)
