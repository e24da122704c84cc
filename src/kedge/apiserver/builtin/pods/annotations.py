"""Rules for annotations that mean something for a pod, also where they became fields."""

import re

from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.builtin.pods.mounts import descending
from kedge.apiserver.builtin.pods.scheduling import check_tolerations
from kedge.apiserver.builtin.pods.surroundings import Options, containers
from kedge.apiserver.resource import Object
from kedge.apiserver.typed.jsontext import Pairs, parse
from kedge.apiserver.typed.words import word
from kedge.kube.goerror import GoError
from kedge.kube.gotext import quote

MIRROR = "kubernetes.io/config.mirror"
TOLERATIONS = "scheduler.alpha.kubernetes.io/tolerations"
DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"
SECCOMP_POD = "seccomp.security.alpha.kubernetes.io/pod"
SECCOMP_CONTAINER = "container.seccomp.security.alpha.kubernetes.io/"
APPARMOR = "container.apparmor.security.beta.kubernetes.io/"
COST = re.compile(r"0|[1-9][0-9]{0,9}|-[0-9]{1,99}")
DEFAULTS = ("runtime/default", "docker/default")
PREFIX = "localhost/"


def check_annotations(
    errors: Errors, path: str, annotations: dict[str, str] | None, spec: Object, options: Options
) -> None:
    """Check what the annotations of a pod or template say; `path` is theirs."""
    if not annotations:
        return
    if MIRROR in annotations and not spec.get("nodeName"):
        what = "must set spec.nodeName if mirror pod annotation is set"
        errors.invalid(f"{path}[{MIRROR}]", annotations[MIRROR], what)
    if annotations.get(TOLERATIONS):
        _check_old_tolerations(errors, path, annotations[TOLERATIONS])
    cost = annotations.get(DELETION_COST)
    if cost is not None and not options.loose_deletion_cost and not is_deletion_cost(cost):
        errors.invalid(f"{path}[{DELETION_COST}]", cost, "must be a 32bit integer")
    for key, value in annotations.items():
        if key == SECCOMP_POD or key.startswith(SECCOMP_CONTAINER):
            _check_seccomp(errors, f"{path}.{key}", value)
    for key, value in annotations.items():
        if key.startswith(APPARMOR):
            _check_apparmor(errors, f"{path}[{key}]", key, value, spec)


def is_deletion_cost(text: str) -> bool:
    """Tell whether a text is a whole number of 32 bits, written without a plus or leading zeros."""
    return bool(COST.fullmatch(text)) and -(1 << 31) <= int(text) < 1 << 31


def _check_old_tolerations(errors: Errors, path: str, text: str) -> None:
    try:
        found = parse(text.encode())
    except GoError as exc:
        errors.invalid(path, TOLERATIONS, exc.text)
        return
    if found is not None and not (isinstance(found, list) and not isinstance(found, Pairs)):
        what = f"json: cannot unmarshal {word(found)} into Go value of type []core.Toleration"
        errors.invalid(path, TOLERATIONS, what)
        return
    tolerations = [dict(one) for one in found or () if isinstance(one, Pairs)]
    check_tolerations(errors, f"{path}.{TOLERATIONS}", tolerations)


def _check_seccomp(errors: Errors, path: str, profile: str) -> None:
    if profile in DEFAULTS or profile == "unconfined":
        return
    if profile.startswith(PREFIX):
        descending(errors, path, profile.removeprefix(PREFIX))
    else:
        errors.invalid(path, profile, "must be a valid seccomp profile")


def _check_apparmor(errors: Errors, path: str, key: str, profile: str, spec: Object) -> None:
    name = key.removeprefix(APPARMOR)
    if all(container.get("name") != name for _, container in containers(spec, "")):
        errors.invalid(path, name, "container not found")
    if profile not in ("", "runtime/default", "unconfined") and not profile.startswith(PREFIX):
        errors.invalid(path, profile, f"invalid AppArmor profile name: {quote(profile)}")


def check_agreement(errors: Errors, path: str, metadata: Object, spec: Object) -> None:
    """Check that annotations and the fields they became say the same; `path` is the spec's."""
    annotations = metadata.get("annotations")
    if not annotations:
        return
    context = spec.get("securityContext") or {}
    _check_match(
        errors, f"{path}.securityContext", "seccomp", context, annotations.get(SECCOMP_POD)
    )
    for where, container in containers(spec, path):
        inner = container.get("securityContext") or {}
        value = annotations.get(SECCOMP_CONTAINER + container.get("name", ""))
        _check_match(errors, f"{where}.securityContext", "seccomp", inner, value)
    if (spec.get("os") or {}).get("name") == "windows":
        return
    for where, container in containers(spec, path):
        inner = container.get("securityContext") or {}
        profile = inner.get("appArmorProfile") or context.get("appArmorProfile")
        value = annotations.get(APPARMOR + container.get("name", ""))
        checked = {"appArmorProfile": profile}
        _check_match(errors, f"{where}.securityContext", "apparmor", checked, value)


def _check_match(
    errors: Errors, path: str, system: str, context: Object, annotation: str | None
) -> None:
    field = "seccompProfile" if system == "seccomp" else "appArmorProfile"
    profile = context.get(field)
    if not profile or annotation is None:
        return
    kind, local = profile.get("type"), profile.get("localhostProfile")
    where = f"{path}.{field}"
    defaults = DEFAULTS if system == "seccomp" else DEFAULTS[:1]
    if (
        (kind == "Unconfined" and annotation != "unconfined")
        or (kind == "RuntimeDefault" and annotation not in defaults)
        or (kind == "Localhost" and not annotation.startswith(PREFIX))
    ):
        errors.forbidden(f"{where}.type", f"{system} type in annotation and field must match")
    elif kind == "Localhost" and annotation.removeprefix(PREFIX) != local:
        what = f"{system} profile in annotation and field must match"
        errors.forbidden(f"{where}.localhostProfile", what)
