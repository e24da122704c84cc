"""How much the container that holds a pod may use: enough to start, nothing that the pod pays for.

A container that is held to a tenth of a CPU takes three times as long to start. So it may use what
the work may use, which no quota of the namespace minds: it is gone before the work begins.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from kedge.kube.kind import Object
from kedge.kube.quantity import Quantity, QuantityError, parse_quantity

CPU: Final = "cpu"
MEMORY: Final = "memory"
REQUESTS: Final = {CPU: "100m", MEMORY: "64Mi"}
LEAST: Final = parse_quantity(REQUESTS[CPU])


def amounts_for(pod: Mapping[str, Any]) -> Object:
    """Give the requests and limits of the container, by those of the pod's own containers.

    A pod of the class Guaranteed stays one: there, requests and limits are alike.
    """
    own = [*_containers(pod, "containers"), *_containers(pod, "initContainers")]
    given = [_part(one, "limits").get(CPU) for one in own]
    cpu = max((amount for text in given if (amount := _amount(text))), default=None)
    if cpu is None:
        return {"requests": dict(REQUESTS), "limits": {MEMORY: REQUESTS[MEMORY]}}
    limits = {CPU: str(max(cpu, LEAST)), MEMORY: REQUESTS[MEMORY]}
    is_guaranteed = all(_is_fixed(one, name) for one in own for name in (CPU, MEMORY))
    return {"requests": dict(limits if is_guaranteed else REQUESTS), "limits": limits}


def _containers(pod: Mapping[str, Any], name: str) -> Iterable[Mapping[str, Any]]:
    """Give the containers; what is none is for the API server to refuse."""
    found = pod.get(name)
    return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else ()


def _part(container: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    resources = container.get("resources")
    part = resources.get(name) if isinstance(resources, Mapping) else None
    return part if isinstance(part, Mapping) else {}


def _amount(value: Any) -> Quantity | None:
    """Read an amount, which may be a number in JSON; None: it is none, or nothing."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        found = parse_quantity(str(value))
    except QuantityError:
        return None
    return found if found.digits > 0 else None


def _is_fixed(container: Mapping[str, Any], name: str) -> bool:
    """Whether a container is promised what it may use; without a request it is."""
    limit = _amount(_part(container, "limits").get(name))
    asked = _part(container, "requests").get(name)
    return limit is not None and (asked is None or _amount(asked) == limit)
