"""Rules for the security contexts of pods and containers."""

import re

from kedge.apiserver.builtin import fields
from kedge.apiserver.builtin.fields import LARGEST_INT32, Errors
from kedge.apiserver.builtin.internal import shown_struct
from kedge.apiserver.builtin.pods.mounts import descending
from kedge.apiserver.builtin.pods.surroundings import Options
from kedge.apiserver.builtin.pods.windows import check_windows_options
from kedge.apiserver.resource import Object

ALLOW_PRIVILEGED = False
"""As kube-apiserver has it without --allow-privileged."""
PROFILES = ("Localhost", "RuntimeDefault", "Unconfined")
PROC_MOUNTS = ("Default", "Unmasked")
LONGEST_PROFILE = 4095  # PATH_MAX - 1
LONGEST_SYSCTL = 253
SEGMENT = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
SYSCTL_TEXT = rf"^({SEGMENT}[\./])*{SEGMENT}$"
SYSCTL = re.compile(r"[a-z0-9](?:[-_a-z0-9./]*[a-z0-9])?")
BAD_SYSCTL = re.compile(r"[./][-_./]|[-_][./]")
SHARED_MEMORY = ("shm", "shmall", "shmmax", "shmmni", "shm_rmid_forced")
MESSAGES = ("msg", "msgmax", "msgmnb", "msgmni")
IPC_SYSCTLS = frozenset(f"kernel.{name}" for name in ("sem", *SHARED_MEMORY, *MESSAGES))


def check_container_context(errors: Errors, path: str, context: Object, host_users: bool) -> None:
    """Check the security context of a container."""
    get = context.get
    if get("privileged") and not ALLOW_PRIVILEGED:
        errors.forbidden(f"{path}.privileged", "disallowed by cluster policy")
    _check_ids(errors, path, context, ("runAsUser", "runAsGroup"))
    mount = get("procMount")
    if mount is not None:
        fields.optional_enum(errors, f"{path}.procMount", mount, PROC_MOUNTS)
        if host_users and mount == "Unmasked":
            what = "`hostUsers` must be false to use `Unmasked`"
            errors.invalid(f"{path}.procMount", mount, what)
    _check_seccomp(errors, f"{path}.seccompProfile", get("seccompProfile"))
    if get("allowPrivilegeEscalation") is False:
        _check_escalation(errors, path, context)
    if "windowsOptions" in context:
        check_windows_options(errors, f"{path}.windowsOptions", context["windowsOptions"])
    check_apparmor(errors, f"{path}.appArmorProfile", get("appArmorProfile"))


def _check_escalation(errors: Errors, path: str, context: Object) -> None:
    clashes = ["`privileged` to true"] if context.get("privileged") else []
    added = (context.get("capabilities") or {}).get("add") or ()
    clashes += ["`capabilities.Add` CAP_SYS_ADMIN" for one in added if one == "CAP_SYS_ADMIN"]
    if clashes:
        text = shown_struct("SecurityContext", context)
        for clash in clashes:
            what = f"cannot set `allowPrivilegeEscalation` to false and {clash}"
            errors.invalid(path, text, what)


def check_pod_context(errors: Errors, path: str, spec: Object, options: Options) -> None:
    """Check the security context of a pod; `path` is the spec's."""
    context = spec.get("securityContext") or {}
    if not context and not spec.get("shareProcessNamespace"):
        return
    where = f"{path}.securityContext"
    _check_ids(errors, where, context, ("fsGroup", "runAsUser", "runAsGroup"))
    for index, group in enumerate(context.get("supplementalGroups") or ()):
        fields.in_range(errors, f"{where}.supplementalGroups[{index}]", group, 0, LARGEST_INT32)
    if spec.get("shareProcessNamespace") and spec.get("hostPID"):
        what = "ShareProcessNamespace and HostPID cannot both be enabled"
        errors.invalid(f"{where}.shareProcessNamespace", True, what)
    _check_sysctls(errors, f"{where}.sysctls", spec, options)
    policies = ("Always", "OnRootMismatch")
    fields.optional_enum(
        errors, f"{where}.fsGroupChangePolicy", context.get("fsGroupChangePolicy"), policies
    )
    _check_seccomp(errors, f"{where}.seccompProfile", context.get("seccompProfile"))
    if "windowsOptions" in context:
        check_windows_options(errors, f"{where}.windowsOptions", context["windowsOptions"])
    check_apparmor(errors, f"{where}.appArmorProfile", context.get("appArmorProfile"))
    groups = context.get("supplementalGroupsPolicy")
    fields.optional_enum(errors, f"{where}.supplementalGroupsPolicy", groups, ("Merge", "Strict"))
    kinds = ("MountOption", "Recursive") if options.any_selinux_policy else ("Recursive",)
    change = context.get("seLinuxChangePolicy")
    fields.optional_enum(errors, f"{where}.seLinuxChangePolicy", change, kinds)


def _check_ids(errors: Errors, path: str, context: Object, names: tuple[str, ...]) -> None:
    for name in names:
        if name in context:
            fields.in_range(errors, f"{path}.{name}", context[name], 0, LARGEST_INT32)


def _check_seccomp(errors: Errors, path: str, profile: Object | None) -> None:
    if profile is None:
        return
    kind, local = profile.get("type", ""), profile.get("localhostProfile")
    if not kind:
        errors.required(f"{path}.type", "type is required when seccompProfile is set")
    elif kind not in PROFILES:
        errors.unsupported(f"{path}.type", kind, PROFILES)
    if kind != "Localhost":
        if local is not None:
            what = "can only be set when seccomp type is Localhost"
            text = shown_struct("SeccompProfile", profile)
            errors.invalid(f"{path}.localhostProfile", text, what)
    elif local is None:
        errors.required(f"{path}.localhostProfile", "must be set when seccomp type is Localhost")
    else:
        descending(errors, f"{path}.localhostProfile", local)


def check_apparmor(errors: Errors, path: str, profile: Object | None) -> None:
    """Check an AppArmor profile."""
    if profile is None:
        return
    kind, local = profile.get("type", ""), profile.get("localhostProfile")
    where = f"{path}.localhostProfile"
    if kind == "Localhost":
        if local is not None and local != local.strip():
            errors.invalid(where, local, "must not be padded with whitespace")
        elif not local:
            errors.required(where, "must be set when AppArmor type is Localhost")
        if local and len(local.encode()) > LONGEST_PROFILE:
            errors.too_long(where, LONGEST_PROFILE)
    elif kind in PROFILES:
        if local is not None:
            errors.invalid(where, local, "can only be set when AppArmor type is Localhost")
    elif kind:
        errors.unsupported(f"{path}.type", kind, PROFILES)
    else:
        errors.required(f"{path}.type", "type is required when appArmorProfile is set")


def _check_sysctls(errors: Errors, path: str, spec: Object, options: Options) -> None:
    seen: set[str] = set()
    for index, sysctl in enumerate(spec["securityContext"].get("sysctls") or ()):
        name, where = sysctl.get("name", ""), f"{path}[{index}].name"
        if not name:
            errors.required(where)
        elif not _is_sysctl(name):
            what = f"must have at most {LONGEST_SYSCTL} characters and match regex {SYSCTL_TEXT}"
            errors.invalid(where, name, what)
        elif name in seen:
            errors.duplicate(where, name)
        host = host_sysctl(name, spec)
        if host and not options.host_sysctls:
            errors.invalid(where, name, f"may not be specified when '{host}' is true")
        seen.add(name)


def _is_sysctl(name: str) -> bool:
    fits = len(name) <= LONGEST_SYSCTL and SYSCTL.fullmatch(name)
    return bool(fits) and not BAD_SYSCTL.search(name)


def host_sysctl(name: str, spec: Object) -> str:
    """Give the field that makes a sysctl the host's; nothing when it is the pod's own."""
    if "/" in name and (("." not in name) or name.index("/") < name.index(".")):
        name = name.translate(str.maketrans("./", "/."))
    if spec.get("hostNetwork") and name.startswith("net."):
        return "hostNetwork"
    if spec.get("hostIPC") and (name in IPC_SYSCTLS or name.startswith("fs.mqueue.")):
        return "hostIPC"
    return ""
