"""What all rules of a ConfigMap have in common. Pure."""

from typing import Any, Final

import msgspec

from kedge.kube.gotext import type_text

_OF_YAML: Final = {int: "int", type(None): "<nil>"}


class PolicyError(ValueError):
    """A ConfigMap that holds no rules that we can follow."""


class Strict(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """A part of the rules: what is not known is refused."""


def yaml_type(value: Any) -> str:
    """Name the type of a value of YAML as Go does."""
    return _OF_YAML.get(type(value)) or type_text(value)
