"""Rules for what a container mounts, and for paths of files in it."""

from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.builtin.pods.surroundings import Surroundings
from kedge.apiserver.resource import Object

PROPAGATIONS = ("Bidirectional", "HostToContainer", "None")
RECURSIONS = ("Disabled", "Enabled", "IfPossible")


def no_backsteps(errors: Errors, path: str, file: str) -> None:
    """Check that no part of a path is `..`."""
    if ".." in file and ".." in file.split("/"):
        errors.invalid(path, file, "must not contain '..'")


def descending(errors: Errors, path: str, file: str) -> None:
    """Check that a path is relative and goes down only."""
    if file.startswith("/"):
        errors.invalid(path, file, "must be a relative path")
    no_backsteps(errors, path, file)


def local_file(errors: Errors, path: str, file: str) -> None:
    """Check that a path goes down only, and that its name is not one a volume needs itself."""
    descending(errors, path, file)
    if file.startswith("..") and not file.startswith("../"):
        errors.invalid(path, file, "must not start with '..'")


def check_mounts(errors: Errors, path: str, container: Object, around: Surroundings) -> None:
    """Check the mounts and the block devices of a container; `path` is the container's."""
    mounts = container.get("volumeMounts") or ()
    devices = container.get("volumeDevices") or ()
    if mounts:
        taken = {one.get("name", ""): one.get("devicePath", "") for one in devices}
        _check_mounts(errors, f"{path}.volumeMounts", container, taken, around)
    if devices:
        used = {one.get("name", ""): one.get("mountPath", "") for one in mounts}
        _check_devices(errors, f"{path}.volumeDevices", container, used, around)


def _check_mounts(
    errors: Errors, path: str, container: Object, devices: dict[str, str], around: Surroundings
) -> None:
    seen: set[str] = set()
    for index, mount in enumerate(container["volumeMounts"]):
        where = f"{path}[{index}]"
        name, point = mount.get("name", ""), mount.get("mountPath", "")
        if not name:
            errors.required(f"{where}.name")
        if name not in around.volumes:
            errors.not_found(f"{where}.name", name)
        if not point:
            errors.required(f"{where}.mountPath")
        if point in seen:
            errors.invalid(f"{where}.mountPath", point, "must be unique")
        seen.add(point)
        if name in devices:
            errors.invalid(f"{where}.name", name, "must not already exist in volumeDevices")
        if point in devices.values():
            what = "must not already exist as a path in volumeDevices"
            errors.invalid(f"{where}.mountPath", point, what)
        _check_mount(errors, path, where, mount, container)


def _check_mount(errors: Errors, path: str, where: str, mount: Object, container: Object) -> None:
    """Check what most mounts do not have. Some errors are at the list, not at the mount."""
    part, template = mount.get("subPath"), mount.get("subPathExpr")
    if part:
        descending(errors, f"{path}.subPath", part)
    if template:
        if part:
            what = "subPathExpr and subPath are mutually exclusive"
            errors.invalid(f"{where}.subPathExpr", template, what)
        descending(errors, f"{path}.subPathExpr", template)
    propagation = mount.get("mountPropagation")
    if propagation is not None:
        if propagation not in PROPAGATIONS:
            errors.unsupported(f"{path}.mountPropagation", propagation, PROPAGATIONS)
        privileged = (container.get("securityContext") or {}).get("privileged")
        if propagation == "Bidirectional" and not privileged:
            what = "Bidirectional mount propagation is available only to privileged containers"
            errors.forbidden(f"{path}.mountPropagation", what)
    if "recursiveReadOnly" in mount:
        _check_recursion(errors, f"{path}.recursiveReadOnly", mount)


def _check_recursion(errors: Errors, path: str, mount: Object) -> None:
    recursion = mount["recursiveReadOnly"]
    if recursion in ("Enabled", "IfPossible"):
        if not mount.get("readOnly"):
            errors.forbidden(path, "may only be specified when readOnly is true")
        if mount.get("mountPropagation", "None") != "None":
            what = "may only be specified when mountPropagation is None or not specified"
            errors.forbidden(path, what)
    elif recursion != "Disabled":
        errors.unsupported(path, recursion, RECURSIONS)


def _check_devices(
    errors: Errors, path: str, container: Object, mounts: dict[str, str], around: Surroundings
) -> None:
    names: set[str] = set()
    paths: set[str] = set()
    for index, device in enumerate(container["volumeDevices"]):
        where = f"{path}[{index}]"
        name, point = device.get("name", ""), device.get("devicePath", "")
        _check_device_name(errors, f"{where}.name", name, names, around)
        if not point:
            errors.required(f"{where}.devicePath")
        if point in paths:
            errors.invalid(f"{where}.devicePath", point, "must be unique")
        if point and ".." in point.split("/"):
            errors.invalid(f"{where}.devicePath", point, "can not contain backsteps ('..')")
        else:
            paths.add(point)
        if name in mounts:
            errors.invalid(f"{where}.name", name, "must not already exist in volumeMounts")
        if point in mounts.values():
            what = "must not already exist as a path in volumeMounts"
            errors.invalid(f"{where}.devicePath", point, what)
        if name:
            names.add(name)


def _check_device_name(
    errors: Errors, path: str, name: str, seen: set[str], around: Surroundings
) -> None:
    if not name:
        errors.required(path)
    if name in seen:
        errors.invalid(path, name, "must be unique")
    volume = around.volumes.get(name)
    if volume is None:
        errors.not_found(path, name)
    elif "persistentVolumeClaim" not in volume and "ephemeral" not in volume:
        what = (
            "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode"
        )
        errors.invalid(path, name, what)
