"""All functions by their name; a method's first argument is what it is called on."""

from collections.abc import Callable
from typing import Any

from kedge.apiserver.crd.cel import (
    arithmetic,
    collection,
    conversion,
    kubernetes,
    network,
    optional,
    text,
)
from kedge.apiserver.crd.cel.conversion import TypeValue

FUNCTIONS: dict[str, Callable[..., Any]] = {
    **arithmetic.FUNCTIONS,
    **collection.FUNCTIONS,
    **conversion.FUNCTIONS,
    **kubernetes.FUNCTIONS,
    **network.FUNCTIONS,
    **optional.FUNCTIONS,
    **text.FUNCTIONS,
}
# Names that are methods of several types.
_SHARED: dict[str, dict[type, Callable[..., Any]]] = {
    "indexOf": {str: text.index_of, list: collection.index_of},
    "lastIndexOf": {str: text.last_index_of, list: collection.last_index_of},
}


def _shared(choices: dict[type, Callable[..., Any]]) -> Callable[..., Any]:
    return lambda target, *args: choices[target.__class__](target, *args)


FUNCTIONS.update({name: _shared(choices) for name, choices in _SHARED.items()})

__all__ = ["FUNCTIONS", "TypeValue"]
