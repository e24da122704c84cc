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
from kedge.apiserver.crd.cel.conversion import TypeValue, type_name
from kedge.apiserver.crd.cel.signature import TYPE_NAMES, overloads_of
from kedge.apiserver.crd.cel.types import Type
from kedge.apiserver.crd.cel.value import no_such_overload

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

# What cel-go says of these, in the place of their arguments.
_TOLD = {
    "size": "size",
    **dict.fromkeys(("contains", "endsWith", "find", "findAll", "matches", "startsWith"), ""),
}


def _shared(choices: dict[type, Callable[..., Any]]) -> Callable[..., Any]:
    return lambda target, *args: choices[target.__class__](target, *args)


FUNCTIONS.update({name: _shared(choices) for name, choices in _SHARED.items()})


def guarded(name: str) -> Callable[..., Any]:
    """Give a function that looks at what it gets: for values whose types nobody knew before."""
    function, overloads = FUNCTIONS[name], overloads_of(name) or ()

    def call(*values: Any) -> Any:
        names = [type_name(value) for value in values]
        kinds = [TYPE_NAMES[one] for one in names]
        if not any(_fit(overload.args, kinds) for overload in overloads):
            raise no_such_overload(_TOLD.get(name, f"{name}({', '.join(names)})"))
        return function(*values)

    return call


def _fit(args: tuple[Type, ...], kinds: list[Type]) -> bool:
    return len(args) == len(kinds) and all(
        arg.kind in ("dyn", "param") or (arg.kind, arg.name) == (kind.kind, kind.name)
        for arg, kind in zip(args, kinds, strict=True)
    )


__all__ = ["FUNCTIONS", "TypeValue", "guarded"]
