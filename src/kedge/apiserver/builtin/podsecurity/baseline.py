"""The standard `baseline`: no known way from a pod to its host."""

from collections.abc import Iterator

from kedge.apiserver.builtin.pods.annotations import APPARMOR, SECCOMP_CONTAINER, SECCOMP_POD
from kedge.apiserver.builtin.pods.surroundings import all_containers
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
from kedge.kube.gotext import quote

CAPABILITIES = frozenset(
    (
        "AUDIT_WRITE",
        "CHOWN",
        "DAC_OVERRIDE",
        "FOWNER",
        "FSETID",
        "KILL",
        "MKNOD",
        "NET_BIND_SERVICE",
        "SETFCAP",
        "SETGID",
        "SETPCAP",
        "SETUID",
        "SYS_CHROOT",
    )
)
SYSCTLS = {
    "kernel.shm_rmid_forced": 0,
    "net.ipv4.ip_local_port_range": 0,
    "net.ipv4.tcp_syncookies": 0,
    "net.ipv4.ping_group_range": 0,
    "net.ipv4.ip_unprivileged_port_start": 0,
    "net.ipv4.ip_local_reserved_ports": 27,
    "net.ipv4.tcp_keepalive_time": 29,
    "net.ipv4.tcp_fin_timeout": 29,
    "net.ipv4.tcp_keepalive_intvl": 29,
    "net.ipv4.tcp_keepalive_probes": 29,
    "net.ipv4.tcp_rmem": 32,
    "net.ipv4.tcp_wmem": 32,
}
"""Sysctls that are safe, and since which minor version they are allowed."""
SELINUX_TYPES = {"": 0, "container_t": 0, "container_init_t": 0, "container_kvm_t": 0}
SELINUX_TYPES |= {"container_engine_t": 31}
SAFE_PROFILES = ("RuntimeDefault", "Localhost")
SECCOMP_FIELD = 19
"""Since this minor version seccomp is a field, before it was an annotation."""


def apparmor(metadata: Object, spec: Object, minor: int) -> Finding:
    """Forbid profiles that confine nothing."""
    values: set[str] = set()

    def is_bad(context: Object) -> bool:
        profile = context.get("appArmorProfile")
        if profile is None or profile.get("type") in SAFE_PROFILES:
            return False
        values.add(profile.get("type", ""))
        return True

    found = setters(spec, is_bad)
    annotations = sorted(
        f"{key}={quote(value)}"
        for key, value in (metadata.get("annotations") or {}).items()
        if key.startswith(APPARMOR)
        and value not in ("", "runtime/default")
        and not value.startswith("localhost/")
    )
    if annotations:
        found.append("annotation" if len(annotations) == 1 else "annotations")
    if not found:
        return NOTHING
    shown = [*sorted(values), *annotations]
    what = "forbidden AppArmor profile" + ("" if len(shown) == 1 else "s")
    return what, f"{' and '.join(found)} must not set AppArmor profile type to {quoted(shown)}"


def capabilities(metadata: Object, spec: Object, minor: int) -> Finding:
    """Forbid capabilities beyond those that containers have by default."""
    added: set[str] = set()

    def is_bad(container: Object) -> bool:
        own = (context_of(container).get("capabilities") or {}).get("add") or ()
        bad = [one for one in own if one not in CAPABILITIES]
        added.update(bad)
        return bool(bad)

    names = bad_containers(spec, is_bad)
    if not names:
        return NOTHING
    what = f"must not include {quoted(sorted(added))} in securityContext.capabilities.add"
    return "non-default capabilities", f"{counted('container', names)} {what}"


def host_namespaces(metadata: Object, spec: Object, minor: int) -> Finding:
    """Forbid namespaces of the host."""
    shared = [f"{name}=true" for name in ("hostNetwork", "hostPID", "hostIPC") if spec.get(name)]
    return ("host namespaces", ", ".join(shared)) if shared else NOTHING


def host_paths(metadata: Object, spec: Object, minor: int) -> Finding:
    """Forbid folders of the host."""
    names = [one.get("name", "") for one in spec.get("volumes") or () if "hostPath" in one]
    return ("hostPath volumes", counted("volume", names)) if names else NOTHING


def host_ports(metadata: Object, spec: Object, minor: int) -> Finding:
    """Forbid ports of the host."""
    ports: set[str] = set()

    def is_bad(container: Object) -> bool:
        own = [str(one["hostPort"]) for one in container.get("ports") or () if one.get("hostPort")]
        ports.update(own)
        return bool(own)

    names = bad_containers(spec, is_bad)
    if not names:
        return NOTHING
    use = "uses" if len(names) == 1 else "use"
    what = "hostPort" if len(ports) == 1 else "hostPorts"
    return "hostPort", f"{counted('container', names)} {use} {what} {', '.join(sorted(ports))}"


def probe_hosts(metadata: Object, spec: Object, minor: int) -> Finding:
    """Forbid probes of other hosts, which the node would do for the pod."""
    hosts: set[str] = set()

    def is_bad(container: Object) -> bool:
        own = {host for host in _hosts(container) if host}
        hosts.update(own)
        return bool(own)

    names = sorted(set(bad_containers(spec, is_bad)))
    if not names:
        return NOTHING
    use = "uses" if len(names) == 1 else "use"
    what = counted("probe or lifecycle host", sorted(hosts))
    return "probe or lifecycle host", f"{counted('container', names)} {use} {what}"


def _hosts(container: Object) -> Iterator[str]:
    lifecycle = container.get("lifecycle") or {}
    handlers = [container.get(name) for name in ("livenessProbe", "readinessProbe", "startupProbe")]
    handlers += [lifecycle.get("postStart"), lifecycle.get("preStop")]
    for handler in handlers:
        for action in ("httpGet", "tcpSocket"):
            yield ((handler or {}).get(action) or {}).get("host", "")


def privileged(metadata: Object, spec: Object, minor: int) -> Finding:
    """Forbid privileged containers."""
    names = bad_containers(spec, lambda one: bool(context_of(one).get("privileged")))
    if not names:
        return NOTHING
    what = f"{counted('container', names)} must not set securityContext.privileged=true"
    return "privileged", what


def proc_mounts(metadata: Object, spec: Object, minor: int) -> Finding:
    """Forbid an unmasked /proc."""
    mounts: set[str] = set()

    def is_bad(container: Object) -> bool:
        mount = context_of(container).get("procMount", "Default")
        if mount == "Default":
            return False
        mounts.add(mount)
        return True

    names = bad_containers(spec, is_bad)
    if not names:
        return NOTHING
    what = f"must not set securityContext.procMount to {quoted(sorted(mounts))}"
    return "procMount", f"{counted('container', names)} {what}"


def selinux(metadata: Object, spec: Object, minor: int) -> Finding:
    """Forbid SELinux users, roles, and types other than those of containers."""
    types: set[str] = set()
    parts: set[str] = set()

    def is_bad(context: Object) -> bool:
        options = context.get("seLinuxOptions") or {}
        kind = options.get("type", "")
        bad = [name for name in ("user", "role") if options.get(name)]
        parts.update(bad)
        if SELINUX_TYPES.get(kind, minor + 1) > minor:
            types.add(kind)
            return True
        return bool(bad)

    found = setters(spec, is_bad)
    if not found:
        return NOTHING
    data = [counted("type", sorted(types))] if types else []
    data += [f"{name} may not be set" for name in ("user", "role") if name in parts]
    who = " and ".join(found)
    what = f"{who} set forbidden securityContext.seLinuxOptions: {'; '.join(data)}"
    return "seLinuxOptions", what


def seccomp(metadata: Object, spec: Object, minor: int) -> Finding:
    """Forbid profiles that filter nothing."""
    if minor < SECCOMP_FIELD:
        return _old_seccomp(metadata, spec)
    found, values = bad_seccomp(spec)
    if not found:
        return NOTHING
    what = f"must not set securityContext.seccompProfile.type to {quoted(values)}"
    return "seccompProfile", f"{' and '.join(found)} {what}"


def bad_seccomp(spec: Object) -> tuple[list[str], list[str]]:
    """Find who sets a profile that filters nothing, and which profiles."""
    values: set[str] = set()

    def is_bad(context: Object) -> bool:
        profile = context.get("seccompProfile")
        if profile is None or profile.get("type") in SAFE_PROFILES:
            return False
        values.add(profile.get("type", ""))
        return True

    return setters(spec, is_bad), sorted(values)


def _old_seccomp(metadata: Object, spec: Object) -> Finding:
    annotations = metadata.get("annotations") or {}
    keys = [SECCOMP_POD]
    keys += [SECCOMP_CONTAINER + one.get("name", "") for one in all_containers(spec)]
    bad = sorted(
        {
            f"{key}={quote(annotations[key])}"
            for key in keys
            if key in annotations
            and annotations[key] not in ("runtime/default", "docker/default")
            and not annotations[key].startswith("localhost/")
        }
    )
    if not bad:
        return NOTHING
    word = "annotation" if len(bad) == 1 else "annotations"
    return "seccompProfile", f"forbidden {word} {', '.join(bad)}"


def sysctls(metadata: Object, spec: Object, minor: int) -> Finding:
    """Forbid sysctls that reach beyond the pod."""
    names = [one.get("name", "") for one in context_of(spec).get("sysctls") or ()]
    bad = [name for name in names if SYSCTLS.get(name, minor + 1) > minor]
    return ("forbidden sysctls", ", ".join(bad)) if bad else NOTHING


def host_process(metadata: Object, spec: Object, minor: int) -> Finding:
    """Forbid processes of a Windows host."""

    def is_bad(context: Object) -> bool:
        return bool((context.get("windowsOptions") or {}).get("hostProcess"))

    found = setters(spec, is_bad)
    if not found:
        return NOTHING
    what = "must not set securityContext.windowsOptions.hostProcess=true"
    return "hostProcess", f"{' and '.join(found)} {what}"
