"""Which version and kind a body says it is."""

from typing import Any, NamedTuple

from kedge.apiserver.typed.exact import pairs
from kedge.apiserver.typed.jsontext import Pairs
from kedge.apiserver.typed.words import word
from kedge.kube.goerror import GoError

_TAG = '"json:\\"{},omitempty\\""'
_TARGET = (
    f"struct {{ APIVersion string {_TAG.format('apiVersion')}; Kind string {_TAG.format('kind')} }}"
)
_NAMES = {"kind": "kind", "apiversion": "apiVersion"}
_FAILED = "couldn't get version/kind; json parse error: "


class Kind(NamedTuple):
    """Group, version and kind."""

    group: str
    version: str
    kind: str

    @property
    def api_version(self) -> str:
        """group/version."""
        return f"{self.group}/{self.version}" if self.group else self.version


def interpret(value: Any) -> Kind:
    """Tell what a parsed body says of itself; empty where it says nothing. Raises GoError."""
    if value is None:
        return Kind("", "", "")
    if not isinstance(value, dict | Pairs):
        raise GoError(
            f"{_FAILED}json: cannot unmarshal {word(value)} into Go value of type {_TARGET}"
        )
    found = _told(value)
    group, version = split_version(found.get("apiVersion", ""))
    return Kind(group, version, found.get("kind", ""))


_EXACT = frozenset(_NAMES.values())


def _told(value: Any) -> dict[str, str]:
    if isinstance(value, dict):
        kind, version = value.get("kind"), value.get("apiVersion")
        if type(kind) is str and type(version) is str and not _has_other_spelling(value):
            return {"kind": kind, "apiVersion": version}
    return _told_by_any_case(value)


def _has_other_spelling(value: dict[str, Any]) -> bool:
    return any(key.lower() in _NAMES and key not in _EXACT for key in value)


def _told_by_any_case(value: Any) -> dict[str, str]:
    # This first look is the only one for which the case of a name does not count.
    found: dict[str, str] = {}
    error = ""
    for key, item in pairs(value):
        name = _NAMES.get(key.lower())
        if name is None or item is None:
            continue
        if isinstance(item, str):
            found[name] = item
        elif not error:
            error = (
                f"json: cannot unmarshal {word(item)} into Go struct field .{name} of type string"
            )
    if error:
        raise GoError(_FAILED + error)
    return found


def split_version(text: str) -> tuple[str, str]:
    """Split an apiVersion into group and version; raises GoError."""
    if text in {"", "/"}:
        return "", ""
    parts = text.split("/")
    if len(parts) > 2:
        raise GoError(f"unexpected GroupVersion string: {text}")
    return (parts[0], parts[1]) if len(parts) == 2 else ("", text)


def with_defaults(told: Kind, wanted: Kind) -> Kind:
    """Fill in what a body does not say: it means the kind of the endpoint."""
    group, version = told.group, told.version
    if not version and not group:
        group, version = wanted.group, wanted.version
    elif not version and group == wanted.group:
        version = wanted.version
    return Kind(group, version, told.kind or wanted.kind)
