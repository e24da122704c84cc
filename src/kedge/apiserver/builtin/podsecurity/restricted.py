"""The standard `restricted`: what hardened pods need not, none may."""

from kedge.apiserver.builtin.podsecurity.baseline import SAFE_PROFILES, bad_seccomp
from kedge.apiserver.builtin.podsecurity.words import (
    NOTHING,
    Finding,
    bad_containers,
    context_of,
    counted,
    quoted,
    setters,
)
from kedge.apiserver.resource import Object

WINDOWS_EXEMPT = 25
"""Since this minor version pods for Windows need not say what only Linux has."""
VOLUMES = frozenset(
    (
        "configMap",
        "csi",
        "downwardAPI",
        "emptyDir",
        "ephemeral",
        "image",
        "persistentVolumeClaim",
        "projected",
        "secret",
    )
)


def _is_exempt(spec: Object, minor: int) -> bool:
    return minor >= WINDOWS_EXEMPT and (spec.get("os") or {}).get("name") == "windows"


def escalation(metadata: Object, spec: Object, minor: int) -> Finding:
    """Demand that no process gains rights."""
    if _is_exempt(spec, minor):
        return NOTHING
    names = bad_containers(
        spec, lambda one: context_of(one).get("allowPrivilegeEscalation") is not False
    )
    if not names:
        return NOTHING
    what = "must set securityContext.allowPrivilegeEscalation=false"
    return "allowPrivilegeEscalation != false", f"{counted('container', names)} {what}"


def capabilities(metadata: Object, spec: Object, minor: int) -> Finding:
    """Demand that all capabilities are dropped but one, to listen on low ports."""
    if _is_exempt(spec, minor):
        return NOTHING
    added: set[str] = set()

    def keeps(container: Object) -> bool:
        own = context_of(container).get("capabilities") or {}
        return "ALL" not in (own.get("drop") or ())

    def adds(container: Object) -> bool:
        own = (context_of(container).get("capabilities") or {}).get("add") or ()
        bad = [one for one in own if one != "NET_BIND_SERVICE"]
        added.update(bad)
        return bool(bad)

    details = []
    if names := bad_containers(spec, keeps):
        what = 'must set securityContext.capabilities.drop=["ALL"]'
        details.append(f"{counted('container', names)} {what}")
    if names := bad_containers(spec, adds):
        what = f"must not include {quoted(sorted(added))} in securityContext.capabilities.add"
        details.append(f"{counted('container', names)} {what}")
    return ("unrestricted capabilities", "; ".join(details)) if details else NOTHING


def volumes(metadata: Object, spec: Object, minor: int) -> Finding:
    """Forbid volumes other than those that Kubernetes itself fills or claims."""
    names, kinds = [], set()
    for volume in spec.get("volumes") or ():
        sources = [key for key in volume if key != "name"]
        if not VOLUMES.isdisjoint(sources):
            continue
        names.append(volume.get("name", ""))
        kinds.add(sources[0] if sources else "unknown")
    if not names:
        return NOTHING
    use = "uses" if len(names) == 1 else "use"
    what = counted("restricted volume type", sorted(kinds))
    return "restricted volume types", f"{counted('volume', names)} {use} {what}"


def non_root(metadata: Object, spec: Object, minor: int) -> Finding:
    """Demand that nobody runs as root."""
    why = "runAsNonRoot != true"
    found = setters(spec, lambda context: context.get("runAsNonRoot") is False)
    if found:
        return why, f"{' and '.join(found)} must not set securityContext.runAsNonRoot=false"
    if context_of(spec).get("runAsNonRoot"):
        return NOTHING
    names = bad_containers(spec, lambda one: "runAsNonRoot" not in context_of(one))
    if not names:
        return NOTHING
    what = "must set securityContext.runAsNonRoot=true"
    return why, f"pod or {counted('container', names)} {what}"


def user(metadata: Object, spec: Object, minor: int) -> Finding:
    """Forbid user 0."""
    found = setters(spec, lambda context: context.get("runAsUser") == 0)
    if not found:
        return NOTHING
    return "runAsUser=0", f"{' and '.join(found)} must not set runAsUser=0"


def seccomp(metadata: Object, spec: Object, minor: int) -> Finding:
    """Demand a profile that filters."""
    if _is_exempt(spec, minor):
        return NOTHING
    found, values = bad_seccomp(spec)
    if found:
        what = f"must not set securityContext.seccompProfile.type to {quoted(values)}"
        return "seccompProfile", f"{' and '.join(found)} {what}"
    if (context_of(spec).get("seccompProfile") or {}).get("type") in SAFE_PROFILES:
        return NOTHING
    names = bad_containers(spec, lambda one: "seccompProfile" not in context_of(one))
    if not names:
        return NOTHING
    what = 'must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"'
    return "seccompProfile", f"pod or {counted('container', names)} {what}"
