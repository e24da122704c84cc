"""Rules for pods that say which operating system they are for, and for Windows' options."""

import re

from kedge.apiserver.builtin import fields
from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.builtin.pods.surroundings import containers
from kedge.apiserver.resource import Object
from kedge.kube import names
from kedge.kube.fielderror import typed

LARGEST_SPEC_KIB = 64
LONGEST_DOMAIN = 256
LONGEST_USER = 104
CONTROL = re.compile(r"[\x00-\x1f\x7f]")
NETBIOS = re.compile(r'[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}')
DNS_LABEL = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
DNS = re.compile(rf"{DNS_LABEL}(?:\.{DNS_LABEL})*")
BAD_USER = re.compile(r'["/\\:;|=,+*?<>@\[\]]')
DOTS = re.compile(r"[. ]+")
LINUX_ONLY = "cannot be set for a windows pod"
# In the order in which the rules report them; those of the spec are its own fields.
NOT_IN_WINDOWS_PODS = (
    ("appArmorProfile", False),
    ("seLinuxOptions", False),
    ("hostUsers", True),
    ("hostPID", True),
    ("hostIPC", True),
    ("seccompProfile", False),
    ("fsGroup", False),
    ("fsGroupChangePolicy", False),
    ("sysctls", False),
    ("shareProcessNamespace", True),
    ("runAsUser", False),
    ("runAsGroup", False),
    ("supplementalGroups", False),
    ("supplementalGroupsPolicy", False),
    ("seLinuxChangePolicy", False),
)
NOT_IN_WINDOWS_CONTAINERS = (
    "appArmorProfile",
    "seLinuxOptions",
    "seccompProfile",
    "capabilities",
    "readOnlyRootFilesystem",
    "privileged",
    "allowPrivilegeEscalation",
    "procMount",
    "runAsUser",
    "runAsGroup",
)


def check_windows_options(errors: Errors, path: str, options: Object) -> None:
    """Check the Windows options of a security context."""
    name, spec = options.get("gmsaCredentialSpecName"), options.get("gmsaCredentialSpec")
    if name is not None:
        errors.each(f"{path}.gmsaCredentialSpecName", typed(name), names.dns_subdomain(name))
    if spec is not None:
        where = f"{path}.gmsaCredentialSpec"
        if not spec:
            errors.invalid(where, spec, "gmsaCredentialSpec cannot be an empty string")
        elif len(spec.encode()) > LARGEST_SPEC_KIB * 1024:
            what = f"gmsaCredentialSpec size must be under {LARGEST_SPEC_KIB} KiB"
            errors.invalid(where, typed(spec), what)
    user = options.get("runAsUserName")
    if user is not None:
        for problem in _user_problems(user):
            errors.invalid(f"{path}.runAsUserName", typed(user), f"runAsUserName{problem}")


def _user_problems(text: str) -> list[str]:
    if not text:
        return [" cannot be an empty string"]
    if CONTROL.search(text):
        return [" cannot contain control characters"]
    *domains, user = text.split("\\")
    if len(domains) > 1:
        return [" cannot contain more than one backslash"]
    problems = []
    if domains and len(domains[0]) >= LONGEST_DOMAIN:
        problems.append(f"'s Domain length must be under {LONGEST_DOMAIN} characters")
    if domains and not (NETBIOS.fullmatch(domains[0]) or DNS.fullmatch(domains[0])):
        problems.append("'s Domain doesn't match the NetBios nor the DNS format")
    if not user:
        problems.append("'s User cannot be empty")
    elif len(user) > LONGEST_USER:
        problems.append(f"'s User length must not be longer than {LONGEST_USER} characters")
    if DOTS.fullmatch(user):
        problems.append("'s User cannot contain only periods or spaces")
    if BAD_USER.search(user):
        problems.append(r"""'s User cannot contain the following characters: "/\:;|=,+*?<>@[]""")
    return problems


def check_host_process(errors: Errors, path: str, spec: Object, allow_privileged: bool) -> None:
    """Check that a pod's containers are all processes of the host, or none is."""
    whole = _host_process(spec)
    count = inside = 0
    for where, container in containers(spec, path):
        count += 1
        own = _host_process(container)
        if whole is not None and own is not None and whole != own:
            what = "pod hostProcess value must be identical if both are specified, was "
            where = f"{where}.securityContext.windowsOptions.hostProcess"
            errors.invalid(where, own, what + str(whole).lower())
        inside += bool(whole if own is None else own)
    if not inside:
        return
    if inside != count:
        what = (
            "If pod contains any hostProcess containers then all containers must be "
            "HostProcess containers"
        )
        errors.invalid(path, "", what)
    if not spec.get("hostNetwork"):
        what = "hostNetwork must be true if pod contains any hostProcess containers"
        errors.invalid(f"{path}.hostNetwork", False, what)
    if not allow_privileged:
        errors.forbidden(path, "hostProcess containers are disallowed by cluster policy")


def _host_process(holder: Object) -> bool | None:
    context = holder.get("securityContext") or {}
    value: bool | None = (context.get("windowsOptions") or {}).get("hostProcess")
    return value


def check_os(errors: Errors, path: str, spec: Object) -> None:
    """Check that a pod has no options of the operating system it is not for."""
    name = spec["os"].get("name", "")
    if not name:
        errors.required(f"{path}.os.name")
    elif name == "linux":
        _check_linux(errors, path, spec)
    elif name == "windows":
        _check_windows(errors, path, spec)
    else:
        fields.optional_enum(errors, f"{path}.os", name, ("linux", "windows"))


def _check_linux(errors: Errors, path: str, spec: Object) -> None:
    what = "windows options cannot be set for a linux pod"
    if "windowsOptions" in (spec.get("securityContext") or {}):
        errors.forbidden(f"{path}.securityContext.windowsOptions", what)
    for where, container in containers(spec, path):
        if "windowsOptions" in (container.get("securityContext") or {}):
            errors.forbidden(f"{where}.securityContext.windowsOptions", what)


def _check_windows(errors: Errors, path: str, spec: Object) -> None:
    context = spec.get("securityContext") or {}
    for name, outside in NOT_IN_WINDOWS_PODS:
        if name in (spec if outside else context):
            where = f"{path}.{name}" if outside else f"{path}.securityContext.{name}"
            errors.forbidden(where, LINUX_ONLY)
    for where, container in containers(spec, path):
        inner = container.get("securityContext") or {}
        for name in NOT_IN_WINDOWS_CONTAINERS:
            if name in inner:
                errors.forbidden(f"{where}.securityContext.{name}", LINUX_ONLY)
