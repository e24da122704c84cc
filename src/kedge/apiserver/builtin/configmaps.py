"""Config maps."""

from collections.abc import Mapping

from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.builtin.plain import Plain
from kedge.apiserver.resource import Object
from kedge.kube.names import data_key, size

LIMIT = 1024 * 1024
"""How many bytes all values together may have."""
WHOLE = "[]"
"""The path of the whole object."""
FROZEN = "field is immutable when `immutable` is set"


class ConfigMapStrategy(Plain):
    """Hooks of v1 ConfigMap."""

    repeats_metadata = True

    def check_change(self, errors: Errors, new: Object, old: Object) -> None:
        """Check that an immutable map stays as it is."""
        check_frozen(errors, new, old, ("data", "binaryData"))

    def check(self, errors: Errors, obj: Object, old: Object | None) -> None:
        """Check the keys, and the size of all values."""
        data, binary = obj.get("data") or {}, obj.get("binaryData") or {}
        for key in data:
            errors.each(f"data[{key}]", key, data_key(key))
            if key in binary:
                errors.invalid(f"data[{key}]", key, "duplicate of key present in binaryData")
        for key in binary:
            errors.each(f"binaryData[{key}]", key, data_key(key))
        if sum(map(size, data.values())) + decoded_size(binary) > LIMIT:
            errors.too_long(WHOLE, LIMIT)


def check_frozen(errors: Errors, new: Object, old: Object, names: tuple[str, ...]) -> None:
    """Check that an object marked as immutable keeps the mark and these fields."""
    if not old.get("immutable"):
        return
    if not new.get("immutable"):
        errors.forbidden("immutable", FROZEN)
    for name in names:
        if (new.get(name) or {}) != (old.get(name) or {}):
            errors.forbidden(name, FROZEN)


def decoded_size(values: Mapping[str, str | None]) -> int:
    """Count the bytes that base64 texts stand for."""
    return sum(len(text) // 4 * 3 - text.count("=") for text in values.values() if text)
