"""Rules that users write into ConfigMaps as YAML, read as Velero reads them. Pure."""

from typing import Any, Final, TypeVar

import msgspec

from kedge.kube.foreign import cut
from kedge.kube.goerror import GoError
from kedge.kube.gotext import float_text
from kedge.kube.yamlscalars import Dialect
from kedge.kube.yamltext import read_yaml

T = TypeVar("T")

_TABLES: Final = frozenset({"matchLabels", "pvcLabels", "volumeAttributes"})
"""Fields whose keys are the user's: there, nothing is an empty text, and not a missing field."""

_AS_THEY_ARE: Final = frozenset({"pvcAccessModes", "pvcVolumeMode"})
"""Fields that must be texts by themselves: of a number, none is made."""

_KEPT: Final = _TABLES | _AS_THEY_ARE
"""Fields that are there, although they are nothing."""


class RuleTextError(ValueError):
    """Text that does not say what it should, or more than that; says why."""


def read_rules(text: str, into: type[T], dialect: Dialect) -> T:
    """Read rules, all of whose values are texts, into a type; raises RuleTextError.

    Numbers and truths without quotes become the texts that Velero makes of them.
    """
    try:
        document = read_yaml(text, dialect)
        if document.strict_error:
            raise RuleTextError(_line(document.strict_error))
        return msgspec.convert(_in_texts(document.value or {}), into)
    except RecursionError:
        raise RuleTextError("it is nested too deeply") from None
    except (GoError, msgspec.ValidationError) as exc:
        raise RuleTextError(_line(str(exc))) from None


def read_patch(text: str) -> Any:
    """Read a patch, whose values may be anything; raises RuleTextError."""
    try:
        return read_yaml(text).value
    except GoError as exc:
        raise RuleTextError(_line(exc.text)) from None


def _line(text: str) -> str:
    return cut(" ".join(text.split()))


def _in_texts(value: Any, field: str = "") -> Any:
    if field in _AS_THEY_ARE:
        return value
    if isinstance(value, dict):
        if field in _TABLES:
            return {key: "" if each is None else _in_texts(each) for key, each in value.items()}
        given = {key: _in_texts(each, key) for key, each in value.items()}
        return {key: each for key, each in given.items() if each is not None or key in _KEPT}
    if isinstance(value, list):
        return [_in_texts(each) for each in value]
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return float_text(value)
    return str(value) if isinstance(value, int) else value
