"""The buckets that people may bring, and the BackupStorageLocation that is made of one. Pure."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final
from urllib.parse import urlsplit

from kedge.kube.durations import ZERO, DurationError, format_duration, parse_duration
from kedge.kube.foreign import cut
from kedge.kube.kind import Object
from kedge.selfservice.policy import Enforced, Policy
from kedge.selfservice.spelling import LOCATION_FORMS, is_same, is_set, text_of
from kedge.selfservice.velero import filled

Spec = Mapping[str, Any]

_SPEC: Final = "NonAdminBackupStorageLocation spec.bslSpec"
_PATH: Final = "spec.backupStorageLocationSpec"
FILESYSTEM: Final = "kedge.dev/filesystem"
_AWS: Final = ("aws", "velero.io/aws")
_REACHING: Final[Mapping[str, str]] = {
    "path": "it names a folder of the server",
    "credentialsFile": "it names a file of the server; the credentials are in the Secret",
    "customerKeyEncryptionFile": "it names a file of the server",
    "customerKeyEncryptionSecret": "it names a Secret of the server's namespace",
}
"""Settings that lead to what is the server's own, and not the user's."""
_STORAGE: Final = ("bucket", "prefix", "caCert")
_USUAL_PORTS: Final = {"http": ":80", "https": ":443"}
SHORTEST: Final = timedelta(seconds=1)
"""Of the periods that people choose: a shorter one would keep the server busy with their bucket."""
_LONGEST: Final = 1024 - 254
"""Bytes of a prefix: with the namespace before it, it is still a key."""


def spec_problem(spec: Spec | None, policy: Policy, sync_period: timedelta) -> str:
    """Say what is wrong with a bucket; empty: nothing.

    `sync_period` is how often the server looks into a bucket that does not say it.
    """
    if policy.problems:
        why = f"the administrator's policy can not be read: {policy.problems[0]}"
        return f"{why}; ask the administrator to mend it"
    if spec is None:
        return f"{_SPEC} is not defined"
    return (
        _own_problem(spec)
        or _period_problem(spec, policy.sync_period, sync_period)
        or _reach_problem(spec)
        or _enforcement_problem(spec, policy.location)
    )


def velero_spec(spec: Spec, enforced: Enforced, namespace: str, secret: str) -> Object:
    """Write the spec of the BackupStorageLocation: the credentials are in a copy of the Secret."""
    made = filled(spec, enforced, LOCATION_FORMS)
    storage = {**(enforced.get("objectStorage") or {}), **_given(made.get("objectStorage") or {})}
    prefix = str(storage.get("prefix") or "").strip("/")
    storage["prefix"] = f"{namespace}/{prefix}" if prefix else namespace
    made["objectStorage"] = storage
    made["credential"] = {"name": secret, "key": (spec.get("credential") or {}).get("key") or ""}
    made.pop("default", None)
    if config := _config(str(made.get("provider")), made.get("config") or {}):
        made["config"] = config
    return made


def _own_problem(spec: Spec) -> str:
    if spec.get("default"):
        return "NonAdminBackupStorageLocation cannot be used as a default BSL"
    credential = spec.get("credential")
    if credential is None:
        return f"{_SPEC}.credential is not set"
    if not credential.get("name") or not credential.get("key"):
        return f"{_SPEC}.credential.name or spec.bslSpec.credential.key is not set"
    return ""


def _period_problem(spec: Spec, ours: timedelta | None, usual: timedelta) -> str:
    periods: dict[str, timedelta] = {}
    for name in ("backupSyncPeriod", "validationFrequency"):
        try:
            periods[name] = parse_duration(spec[name]) if spec.get(name) else usual
        except DurationError as exc:
            return f"{_PATH}.{name}: {exc}; write it as 30s or 1m"
        if spec.get(name) and ZERO < periods[name] < SHORTEST:
            least = format_duration(SHORTEST)
            return f"{_PATH}.{name} is restricted, can not be shorter than {least}, but for 0"
    period = periods["backupSyncPeriod"]
    if ours is None or period < ours:
        return ""
    own, other = format_duration(period), format_duration(ours)
    return (
        f"NABSL {_PATH}.backupSyncPeriod ({own}) can not be greater or equal non admin "
        f"backupSyncPeriod ({other})"
    )


def _reach_problem(spec: Spec) -> str:
    """Look for what leads to the server's own files and Secrets."""
    if str(spec.get("provider") or "").strip().lower() == FILESYSTEM:
        return (
            f"{_PATH}.provider is restricted, can not be {FILESYSTEM}: it is a folder of the server"
        )
    config = spec.get("config") or {}
    for name, why in _REACHING.items():
        if any(each.strip().lower() == name.lower() for each in config):
            return f"{_PATH}.config.{name} is restricted: {why}"
    storage = spec.get("objectStorage") or {}
    if storage.get("caCertRef") is not None:
        return f"{_PATH}.objectStorage.caCertRef is restricted: write the certificates into caCert"
    return _prefix_problem(str(storage.get("prefix") or ""))


def _prefix_problem(prefix: str) -> str:
    trimmed = prefix.strip("/")
    parts = trimmed.split("/")
    is_odd = any(letter < " " or letter in "\\\x7f" for letter in trimmed)
    if trimmed and (is_odd or any(part in ("", ".", "..") for part in parts)):
        return f"{_PATH}.objectStorage.prefix {cut(prefix)!r} is no plain path, such as a/b"
    if len(trimmed.encode(errors="replace")) > _LONGEST:
        return f"{_PATH}.objectStorage.prefix is longer than {_LONGEST} bytes"
    return ""


def _enforcement_problem(spec: Spec, enforced: Enforced) -> str:
    for name, form in LOCATION_FORMS.items():
        value = spec.get(name)
        if name not in enforced or not is_set(form, value):
            continue
        if name == "objectStorage":
            if problem := _storage_problem(value, enforced[name]):
                return problem
        elif not is_same(name, value, enforced[name]):
            text = _enforced_text(name, enforced[name])
            return f"the administrator has restricted {_PATH}.{name} field to: {text}"
    return ""


def _storage_problem(storage: Spec | None, enforced: Spec) -> str:
    kept = {name: enforced[name] for name in _STORAGE if enforced.get(name)}
    given = _given(storage or {})
    if all(given.get(name, value) == value for name, value in kept.items()):
        return ""
    text = ", ".join(f"{name}: {value}" for name, value in kept.items())
    return f"the administrator has restricted {_PATH}.objectStorage field value(s) to: {text}"


def _enforced_text(name: str, value: Any) -> str:
    if name == "credential":
        return f"name: {value.get('name') or ''}, key: {value.get('key') or ''}"
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {value[key]}" for key in sorted(value))
    return text_of(name, value)


def _given(storage: Spec) -> Object:
    return {name: value for name, value in storage.items() if value not in (None, "")}


def _config(provider: str, given: Spec) -> Object:
    config = dict(given)
    if provider in _AWS:
        # Many stores that are not Amazon's refuse its newer checksums.
        config.setdefault("checksumAlgorithm", "")
        if url := config.get("s3Url"):
            config["s3Url"] = _without_port(url)
    return config


def _without_port(url: str) -> str:
    """Leave out a port that is the usual one: signatures are made without it."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    usual = _USUAL_PORTS.get(parts.scheme.lower(), "")
    if not usual or not parts.netloc.endswith(usual):
        return url
    return parts._replace(netloc=parts.netloc.removesuffix(usual)).geturl()
