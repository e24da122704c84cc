"""Secrets: types with the keys they need, text that is stored as bytes."""

from base64 import b64decode, b64encode
from typing import Any

from kedge.apiserver.builtin import keypair
from kedge.apiserver.builtin.configmaps import LIMIT, check_frozen, decoded_size
from kedge.apiserver.builtin.fields import IMMUTABLE, Errors
from kedge.apiserver.builtin.plain import Plain
from kedge.apiserver.resource import Object
from kedge.apiserver.typed.jsontext import Pairs, parse
from kedge.apiserver.typed.words import word
from kedge.kube.fielderror import typed
from kedge.kube.goerror import GoError
from kedge.kube.names import data_key

OPAQUE = "Opaque"
TLS = "kubernetes.io/tls"
TOKEN = "kubernetes.io/service-account-token"
ACCOUNT = "kubernetes.io/service-account.name"
DOCKER = {
    "kubernetes.io/dockercfg": ".dockercfg",
    "kubernetes.io/dockerconfigjson": ".dockerconfigjson",
}
Data = dict[str, str | None]


class SecretStrategy(Plain):
    """Hooks of v1 Secret."""

    repeats_metadata = True

    def default(self, obj: Object) -> None:
        """Fill in the type, and put text among the bytes."""
        if not obj.get("type"):
            obj["type"] = OPAQUE
        texts = obj.pop("stringData", None)
        if texts:
            data = obj.setdefault("data", {})
            for key, text in texts.items():
                data[key] = b64encode(text.encode()).decode()

    def check_change(self, errors: Errors, new: Object, old: Object) -> None:
        """Check that the type stays, and an immutable secret as it is."""
        if new.get("type") != old.get("type"):
            errors.invalid("type", typed(new.get("type") or ""), IMMUTABLE)
        check_frozen(errors, new, old, ("data",))

    def check(self, errors: Errors, obj: Object, old: Object | None) -> None:
        """Check the keys, the size, and what the type asks for."""
        data: Data = obj.get("data") or {}
        for key in data:
            errors.each(f"data[{key}]", key, data_key(key))
        if decoded_size(data) > LIMIT:
            errors.too_long("data", LIMIT)
        kind = obj.get("type")
        if kind != OPAQUE:
            _check_type(errors, kind or "", obj["metadata"], data)

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        """Warn of a certificate and a key that do not make a pair."""
        if obj.get("type") != TLS:
            return []
        data: Data = obj.get("data") or {}
        problem = keypair.problem(_bytes(data, "tls.crt"), _bytes(data, "tls.key"))
        return [problem] if problem else []


def _check_type(errors: Errors, kind: str, metadata: Object, data: Data) -> None:
    if kind == TOKEN:
        if not (metadata.get("annotations") or {}).get(ACCOUNT):
            errors.required(f"metadata.annotations[{ACCOUNT}]")
    elif kind in DOCKER:
        _check_json(errors, DOCKER[kind], data)
    else:
        for key in _missing(kind, data):
            errors.required(f"data[{key}]")


def _missing(kind: str, data: Data) -> list[str]:
    """Name the keys that a type asks for, and that are not there."""
    if kind == "kubernetes.io/basic-auth":
        keys = ["username", "password"]
        return [] if any(key in data for key in keys) else keys
    if kind == "kubernetes.io/ssh-auth":
        return [] if data.get("ssh-privatekey") else ["ssh-privatekey"]
    if kind == TLS:
        return [key for key in ("tls.crt", "tls.key") if key not in data]
    return []


def _check_json(errors: Errors, key: str, data: Data) -> None:
    if key not in data:
        errors.required(f"data[{key}]")
        return
    problem = _json_problem(_bytes(data, key))
    if problem:
        errors.invalid(f"data[{key}]", "<secret contents redacted>", problem)


def _json_problem(raw: bytes) -> str:
    """Say why bytes are no JSON object, in Go's words."""
    try:
        value: Any = parse(raw)
    except GoError as exc:
        return exc.text
    if value is None or isinstance(value, Pairs):
        return ""
    return f"json: cannot unmarshal {word(value)} into Go value of type map[string]interface {{}}"


def _bytes(data: Data, key: str) -> bytes:
    return b64decode(data.get(key) or "")
