"""From a CRD to the resources that are served for it, and from a body to an object of one."""

import base64
import hashlib
import re
from typing import Any

from kedge.apiserver.crd.custom import CustomStrategy
from kedge.apiserver.crd.printer import printer_of
from kedge.apiserver.crd.schema.compile import Body, compile_schema
from kedge.apiserver.crd.schema.embedded import metadata_of
from kedge.apiserver.resource import Object, Resource, Subresource
from kedge.kube.errors import invalid
from kedge.kube.fielderror import invalid as invalid_field

VERBS = ("delete", "deletecollection", "get", "list", "patch", "create", "update", "watch")
_VERBS_AT_END = ("delete", "deletecollection", "get", "list", "watch")
_SUBRESOURCE_VERBS = ("get", "patch", "update")
_VERSION = re.compile(r"v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?")
_STAGES = {"alpha": 0, "beta": 1, None: 2}


def condition(crd: Object, kind: str) -> bool:
    """Say whether a condition of a CRD is true."""
    conditions = (crd.get("status") or {}).get("conditions") or ()
    return any(one.get("type") == kind and one.get("status") == "True" for one in conditions)


def resources_of(crd: Object, enforce: bool = True) -> list[Resource]:
    """Make the resources of all served versions; none while the CRD is not established.

    Without `enforce`, the CEL rules of the schemas are left alone.
    """
    if not condition(crd, "Established"):
        return []
    spec = crd["spec"]
    versions = spec["versions"]
    schemas = {
        one["name"]: compile_schema((one.get("schema") or {}).get("openAPIV3Schema"), enforce)
        for one in versions
    }
    bodies: dict[str, Body] = {
        f"{spec['group']}/{name}": schema.rules for name, schema in schemas.items()
    }
    found = [_resource(crd, one, schemas[one["name"]]) for one in versions if one.get("served")]
    stored = next(one["name"] for one in versions if one.get("storage"))
    for resource in found:
        strategy = resource.strategy
        assert isinstance(strategy, CustomStrategy)
        strategy.bodies = bodies
        strategy.stored_version = f"{spec['group']}/{stored}"
        if len(versions) > 1:
            resource.versions = tuple(found)
    return found


def _resource(crd: Object, version: Object, schema: Any) -> Resource:
    spec, names = crd["spec"], crd["status"]["acceptedNames"]
    group, name = spec["group"], version["name"]
    subresources = version.get("subresources") or {}
    has_status, scale = subresources.get("status") is not None, subresources.get("scale")
    strategy = CustomStrategy(
        schema.rules, has_status=has_status, scale=scale, api_version=f"{group}/{name}"
    )
    strategy.notice = deprecation(spec, version)
    return Resource(
        group=group,
        version=name,
        kind=names["kind"],
        plural=names["plural"],
        singular=names.get("singular") or "",
        namespaced=spec["scope"] == "Namespaced",
        verbs=_VERBS_AT_END if condition(crd, "Terminating") else VERBS,
        schema=schema,
        strategy=strategy,
        short_names=tuple(names.get("shortNames") or ()),
        categories=tuple(names.get("categories") or ()),
        list_kind=names.get("listKind") or f"{names['kind']}List",
        subresources=_subresources(group, name, names["kind"], has_status, scale),
        storage_hash=storage_hash(spec),
        printer=printer_of(version.get("additionalPrinterColumns")),
        selectable=tuple(
            one["jsonPath"].removeprefix(".") for one in version.get("selectableFields") or ()
        ),
        custom=True,
        # An object was written under the schema of its day, or through another version: what is
        # read must follow this one.
        stored=bool(version.get("storage"))
        and len(spec["versions"]) == 1
        and crd["metadata"].get("generation", 1) == 1,
        scale=scale,
        warnings=(strategy.notice,) if strategy.notice else (),
    )


def _subresources(
    group: str, version: str, kind: str, has_status: bool, scale: Object | None
) -> dict[str, Subresource]:
    found = {}
    if has_status:
        found["status"] = Subresource("status", kind, group, version, _SUBRESOURCE_VERBS)
    if scale is not None:
        found["scale"] = Subresource("scale", "Scale", "autoscaling", "v1", _SUBRESOURCE_VERBS)
    return found


def storage_hash(spec: Object) -> str:
    """Give the hash of the stored version, which is told only if that version is served."""
    for version in spec["versions"]:
        if version.get("storage") and version.get("served"):
            text = f"{spec['group']}/{version['name']}/{spec['names']['kind']}"
            return base64.b64encode(hashlib.sha256(text.encode()).digest()[:8]).decode()
    return ""


def deprecation(spec: Object, version: Object) -> str:
    """Give the warning that goes with a deprecated version; empty for the others."""
    if not version.get("deprecated"):
        return ""
    if version.get("deprecationWarning") is not None:
        return str(version["deprecationWarning"])
    group, kind = spec["group"], spec["names"]["kind"]
    text = f"{group}/{version['name']} {kind} is deprecated"
    newer = [
        one["name"]
        for one in spec["versions"]
        if one.get("served")
        and not one.get("deprecated")
        and rank(one["name"]) > rank(version["name"])
    ]
    return f"{text}; use {group}/{max(newer, key=rank)} {kind}" if newer else text


def rank(version: str) -> tuple[int, int, int, int, tuple[int, ...]]:
    """Order versions as Kubernetes does: v2 > v1 > v1beta2 > v1alpha1 > anything else."""
    found = _VERSION.fullmatch(version)
    if found is None:
        return 0, 0, 0, 0, (*(-ord(char) for char in version), 1)
    return 1, _STAGES[found[2]], int(found[1]), int(found[3] or 0), ()


def decode(resource: Resource, obj: Any, mode: str) -> tuple[Object, list[str]]:
    """Make an object of a body: metadata typed, unknown fields dropped; give it with their paths.

    `obj` is the parsed body and is changed in place; `mode` is that of fieldValidation. Raises
    GoError where Go does not decode, and Invalid for an object of another kind.
    """
    kind = obj.get("kind")
    if kind != resource.kind:
        name = (obj.get("metadata") or {}).get("name") or ""
        error = invalid_field("kind", kind, f"must be {resource.kind}")
        raise invalid(resource.group, kind or "", name, [error])
    unknown: list[str] = []
    if "metadata" in obj:
        metadata, found = metadata_of(obj["metadata"], mode)
        unknown += [f"metadata.{path}" for path in found]
        obj["metadata"] = metadata or {}
    unknown += resource.schema.rules.settle(obj)
    return obj, unknown
