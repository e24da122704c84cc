"""Rules for volumes made of files: config maps, secrets, fields of the pod, and all in one."""

from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.builtin.pods.env import VOLUME_FIELDS, check_field, check_resource
from kedge.apiserver.builtin.pods.mounts import local_file
from kedge.apiserver.builtin.pods.surroundings import Options
from kedge.apiserver.resource import Object

BAD_MODE = "must be a number between 0 and 0777 (octal), both inclusive"
SHORTEST_TOKEN = 600
LONGEST_TOKEN = 1 << 32
TWICE = "conflicting duplicate paths"


def check_mode(errors: Errors, path: str, mode: int | None) -> None:
    """Check the permissions of a file."""
    if mode is not None and not 0 <= mode <= 0o777:
        errors.invalid(path, mode, BAD_MODE)


def check_keys(errors: Errors, path: str, source: Object, name: str) -> None:
    """Check a volume of a config map or a secret; `name` is the field that names it."""
    if not source.get(name):
        errors.required(f"{path}.{name}")
    check_mode(errors, f"{path}.defaultMode", source.get("defaultMode"))
    for index, item in enumerate(source.get("items") or ()):
        _check_item(errors, f"{path}.items[{index}]", item)


def _check_item(errors: Errors, path: str, item: Object) -> None:
    if not item.get("key"):
        errors.required(f"{path}.key")
    if not item.get("path"):
        errors.required(f"{path}.path")
    local_file(errors, f"{path}.path", item.get("path", ""))
    check_mode(errors, f"{path}.mode", item.get("mode"))


def check_downward(errors: Errors, path: str, source: Object) -> None:
    """Check a volume of fields of the pod."""
    check_mode(errors, f"{path}.defaultMode", source.get("defaultMode"))
    for item in source.get("items") or ():
        _check_downward_file(errors, path, item)


def _check_downward_file(errors: Errors, path: str, item: Object) -> None:
    """Check one file. Its errors are at the volume: the list is not part of the path."""
    if not item.get("path"):
        errors.required(f"{path}.path")
    local_file(errors, f"{path}.path", item.get("path", ""))
    if "fieldRef" in item:
        check_field(errors, f"{path}.fieldRef", item["fieldRef"], VOLUME_FIELDS)
        if "resourceFieldRef" in item:
            what = "fieldRef and resourceFieldRef can not be specified simultaneously"
            errors.invalid(path, "resource", what)
    elif "resourceFieldRef" in item:
        check_resource(errors, f"{path}.resourceFieldRef", item["resourceFieldRef"], True)
    else:
        errors.required(path, "one of fieldRef and resourceFieldRef is required")
    check_mode(errors, f"{path}.mode", item.get("mode"))


def check_projected(errors: Errors, path: str, volume: Object, options: Options) -> None:
    """Check a volume of several sources."""
    check_mode(errors, f"{path}.defaultMode", volume.get("defaultMode"))
    taken: set[str] = set()
    for index, source in enumerate(volume.get("sources") or ()):
        where = f"{path}.sources[{index}]"
        for name in ("secret", "configMap"):
            if name in source:
                _check_named(errors, path, f"{where}.{name}", source[name], taken)
        for item in (source.get("downwardAPI") or {}).get("items") or ():
            _check_downward_file(errors, f"{where}.downwardAPI", item)
            _take(errors, path, item.get("path"), item.get("path"), taken)
        if "serviceAccountToken" in source:
            token = source["serviceAccountToken"]
            _check_token(errors, path, f"{where}.serviceAccountToken", token, options)
        if len(source) > 1:
            errors.forbidden(where, "may not specify more than 1 volume type per source")


def _check_named(errors: Errors, path: str, where: str, source: Object, taken: set[str]) -> None:
    name = source.get("name", "")
    if not name:
        errors.required(f"{where}.name")
    for index, item in enumerate(source.get("items") or ()):
        _check_item(errors, f"{where}.items[{index}]", item)
        _take(errors, path, item.get("path"), name, taken)


def _take(errors: Errors, path: str, file: str | None, shown: str | None, taken: set[str]) -> None:
    if file:
        if file in taken:
            errors.invalid(path, shown, TWICE)
        taken.add(file)


def _check_token(errors: Errors, path: str, where: str, token: Object, options: Options) -> None:
    seconds = token.get("expirationSeconds", 0)
    if seconds < SHORTEST_TOKEN:
        what = "may not specify a duration less than 10 minutes"
        errors.invalid(f"{where}.expirationSeconds", seconds, what)
    if seconds > LONGEST_TOKEN:
        what = "may not specify a duration larger than 2^32 seconds"
        errors.invalid(f"{where}.expirationSeconds", seconds, what)
    if not token.get("path"):
        errors.required(f"{path}.path")
    elif not options.free_token_paths:
        local_file(errors, f"{path}.path", token["path"])
