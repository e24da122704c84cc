"""Rules for the lists of containers of a pod."""

from collections.abc import Sequence

from kedge.apiserver.builtin import fields
from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.builtin.pods.env import check_env, check_env_from
from kedge.apiserver.builtin.pods.mounts import check_mounts
from kedge.apiserver.builtin.pods.probes import check_lifecycle, check_probes
from kedge.apiserver.builtin.pods.resources import check_requirements
from kedge.apiserver.builtin.pods.security import check_container_context
from kedge.apiserver.builtin.pods.surroundings import Surroundings
from kedge.apiserver.resource import Object
from kedge.kube import formats

PROTOCOLS = ("SCTP", "TCP", "UDP")
MESSAGE_POLICIES = ("File", "FallbackToLogsOnError")
PULL_POLICIES = ("Always", "IfNotPresent", "Never")
RESIZED = ("cpu", "memory")
RESIZE_POLICIES = ("NotRequired", "RestartContainer")
ONLY_SIDECARS = "may not be set for init containers without restartPolicy=Always"
NOT_EPHEMERAL = "cannot be set for an Ephemeral Container"
# The fields that an ephemeral container may not have, in Go's order.
NOT_FOR_EPHEMERAL = (
    "ports",
    "resources",
    "resizePolicy",
    "restartPolicy",
    "restartPolicyRules",
    "livenessProbe",
    "readinessProbe",
    "startupProbe",
    "lifecycle",
)


def check_containers(errors: Errors, path: str, spec: Object, around: Surroundings) -> None:
    """Check the regular containers; `path` is that of the list."""
    containers = spec.get("containers")
    if not containers:
        errors.required(path)
        return
    seen: set[str] = set()
    for index, container in enumerate(containers):
        where = f"{path}[{index}]"
        _check_any(errors, where, container, around)
        name = container.get("name", "")
        if name in seen:
            errors.duplicate(f"{where}.name", name)
        else:
            seen.add(name)
        if "lifecycle" in container:
            check_lifecycle(errors, f"{where}.lifecycle", container["lifecycle"], around)
        check_probes(errors, where, container, around)
    _check_host_ports(errors, path, containers)


def check_init_containers(errors: Errors, path: str, spec: Object, around: Surroundings) -> None:
    """Check the init containers; `path` is that of the list."""
    seen = {container.get("name", "") for container in spec.get("containers") or ()}
    for index, container in enumerate(spec.get("initContainers") or ()):
        where = f"{path}[{index}]"
        _check_any(errors, where, container, around)
        name = container.get("name", "")
        if name in seen:
            errors.duplicate(f"{where}.name", name)
        elif name:
            seen.add(name)
        # They run one by one, so each is on its own; the path is that of the first in the list.
        _check_host_ports(errors, path, [container])
        if container.get("restartPolicy") == "Always":
            if "lifecycle" in container:
                check_lifecycle(errors, f"{where}.lifecycle", container["lifecycle"], around)
            check_probes(errors, where, container, around)
            continue
        for name in ("lifecycle", "livenessProbe", "readinessProbe", "startupProbe"):
            if name in container:
                errors.forbidden(f"{where}.{name}", ONLY_SIDECARS)


def check_ephemeral_containers(
    errors: Errors, path: str, spec: Object, around: Surroundings
) -> None:
    """Check the ephemeral containers; `path` is that of the list."""
    ephemeral = spec.get("ephemeralContainers")
    if not ephemeral:
        return
    others = {
        container.get("name", "")
        for name in ("containers", "initContainers")
        for container in spec.get(name) or ()
    }
    seen = set(others)
    for index, container in enumerate(ephemeral):
        where = f"{path}[{index}]"
        _check_any(errors, where, container, around)
        check_image_spaces(errors, where, container)
        name, target = container.get("name", ""), container.get("targetContainerName")
        if name in seen:
            errors.duplicate(f"{where}.name", name)
        seen.add(name)
        if target and target not in others:
            errors.not_found(f"{where}.targetContainerName", target)
        for field in NOT_FOR_EPHEMERAL:
            if container.get(field) or (field in container and field != "resources"):
                errors.forbidden(f"{where}.{field}", NOT_EPHEMERAL)
        for at, mount in enumerate(container.get("volumeMounts") or ()):
            for field in ("subPath", "subPathExpr"):
                if mount.get(field):
                    errors.forbidden(f"{where}.volumeMounts[{at}].{field}", NOT_EPHEMERAL)


def check_image_spaces(errors: Errors, path: str, container: Object) -> None:
    """Check that no space is around the name of an image; templates may hold such names."""
    image = container.get("image", "")
    if image != image.strip():
        errors.invalid(f"{path}.image", image, "must not have leading or trailing whitespace")


def _check_any(errors: Errors, path: str, container: Object, around: Surroundings) -> None:
    """Check what holds for containers of every sort."""
    get = container.get
    fields.required_label(errors, f"{path}.name", get("name", ""))
    if not get("image"):
        errors.required(f"{path}.image")
    policy = get("terminationMessagePolicy", "")
    if policy not in MESSAGE_POLICIES:
        fields.enum(errors, f"{path}.terminationMessagePolicy", policy, MESSAGE_POLICIES)
    if ports := get("ports"):
        _check_ports(errors, f"{path}.ports", ports)
    if variables := get("env"):
        check_env(errors, f"{path}.env", variables)
    if sources := get("envFrom"):
        check_env_from(errors, f"{path}.envFrom", sources)
    check_mounts(errors, path, container, around)
    pull = get("imagePullPolicy", "")
    if pull not in PULL_POLICIES:
        fields.enum(errors, f"{path}.imagePullPolicy", pull, PULL_POLICIES)
    if resources := get("resources"):
        check_requirements(errors, f"{path}.resources", resources, around)
    if policies := get("resizePolicy"):
        _check_resize(errors, f"{path}.resizePolicy", policies, around.restart_policy)
    if context := get("securityContext"):
        check_container_context(errors, f"{path}.securityContext", context, around.host_users)


def _check_ports(errors: Errors, path: str, ports: Sequence[Object]) -> None:
    seen: set[str] = set()
    for index, port in enumerate(ports):
        name, number = port.get("name"), port.get("containerPort", 0)
        if name:
            problems = formats.port_name(name)
            errors.each(f"{path}[{index}].name", name, problems)
            if not problems:
                if name in seen:
                    errors.duplicate(f"{path}[{index}].name", name)
                seen.add(name)
        if number == 0:
            errors.required(f"{path}[{index}].containerPort")
        elif not 0 < number < 65536:
            fields.port(errors, f"{path}[{index}].containerPort", number)
        if port.get("hostPort"):
            fields.port(errors, f"{path}[{index}].hostPort", port["hostPort"])
        protocol = port.get("protocol", "")
        if protocol not in PROTOCOLS:
            fields.enum(errors, f"{path}[{index}].protocol", protocol, PROTOCOLS)


def _check_host_ports(errors: Errors, path: str, containers: Sequence[Object]) -> None:
    """Check that no two ports of the host are one; `path` is that of the list."""
    seen: set[str] = set()
    for index, container in enumerate(containers):
        for at, port in enumerate(container.get("ports") or ()):
            number = port.get("hostPort")
            if not number:
                continue
            text = f"{port.get('protocol', '')}/{port.get('hostIP', '')}/{number}"
            if text in seen:
                errors.duplicate(f"{path}[{index}].ports[{at}].hostPort", text)
            seen.add(text)


def _check_resize(
    errors: Errors, path: str, policies: Sequence[Object], restart_policy: str
) -> None:
    seen: set[str] = set()
    for index, policy in enumerate(policies):
        resource, restart = policy.get("resourceName", ""), policy.get("restartPolicy", "")
        if resource in seen:
            errors.duplicate(f"{path}[{index}]", resource)
        seen.add(resource)
        fields.enum(errors, path, resource, RESIZED)
        fields.enum(errors, path, restart, RESIZE_POLICIES)
        if restart_policy == "Never" and restart != "NotRequired":
            what = "must be 'NotRequired' when `restartPolicy` is 'Never'"
            errors.invalid(path, restart, what)
