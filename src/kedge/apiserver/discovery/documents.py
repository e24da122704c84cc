"""Discovery documents, made of resources."""

from collections.abc import Iterable
from typing import Any, Final

from kedge.apiserver.discovery.versions import by_preference
from kedge.apiserver.kinds.table import builtin
from kedge.apiserver.resource import Resource, Subresource

Document = dict[str, Any]
Versions = dict[str, list[Resource]]

AGGREGATED: Final = "apidiscovery.k8s.io/v2"


class Groups:
    """The served resources by group and version, groups and versions in order of preference."""

    def __init__(self, resources: Iterable[Resource]) -> None:
        """Sort the resources into groups."""
        found: dict[str, Versions] = {}
        for resource in resources:
            versions = found.setdefault(resource.group, {})
            versions.setdefault(resource.version, []).append(resource)
        known = {group.name: group.versions for group in builtin().groups}
        self.core = found.pop("", {})
        self.builtin = {
            name: _ordered(found.pop(name), known[name]) for name in known if name in found
        }
        self.custom = {
            name: {version: versions[version] for version in by_preference(versions)}
            for name, versions in sorted(found.items())
        }

    @property
    def by_name(self) -> dict[str, Versions]:
        """All groups but core as aggregated discovery orders them: custom ones by name."""
        return self.builtin | self.custom

    @property
    def by_service(self) -> dict[str, Versions]:
        """All groups but core as plain discovery orders them.

        It sorts the names of APIServices, in which the version stands before the group.
        """
        first = {
            name: min(f"{v}.{name}" for v in versions) for name, versions in self.custom.items()
        }
        return self.builtin | {
            name: self.custom[name] for name in sorted(first, key=first.__getitem__)
        }


def _ordered(versions: Versions, order: tuple[str, ...]) -> Versions:
    # A CRD may add a version to a built-in group.
    names = [name for name in order if name in versions]
    names += by_preference(versions.keys() - set(order))
    return {name: versions[name] for name in names}


def api_versions(versions: Iterable[str], address: str) -> Document:
    """Make the document of /api."""
    return {
        "kind": "APIVersions",
        "versions": list(versions),
        "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": address}],
    }


def group_list(groups: dict[str, Versions]) -> Document:
    """Make the document of /apis."""
    listed = [_group(name, versions) for name, versions in groups.items()]
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": listed}


def group(name: str, versions: Iterable[str]) -> Document:
    """Make the document of /apis/GROUP."""
    return {"kind": "APIGroup", "apiVersion": "v1", **_group(name, versions)}


def _group(name: str, versions: Iterable[str]) -> Document:
    listed = [{"groupVersion": f"{name}/{version}", "version": version} for version in versions]
    return {"name": name, "versions": listed, "preferredVersion": listed[0]}


def resource_list(resources: list[Resource]) -> Document:
    """Make the document of /api/v1 or /apis/GROUP/VERSION."""
    rows: list[Document] = []
    for resource in resources:
        rows.append(_row(resource))
        rows += [_sub_row(resource, one) for one in resource.subresources.values()]
    first = resources[0]
    # The core group is older than the apiVersion of this list.
    versioned = {"apiVersion": "v1"} if first.group else {}
    return {
        "kind": "APIResourceList",
        **versioned,
        "groupVersion": first.api_version,
        "resources": rows,
    }


def _row(resource: Resource) -> Document:
    return {
        "name": resource.plural,
        "singularName": resource.singular,
        "namespaced": resource.namespaced,
        "kind": resource.kind,
        "verbs": list(resource.verbs),
        **_names(resource),
        **({"storageVersionHash": resource.storage_hash} if resource.storage_hash else {}),
    }


def _names(resource: Resource) -> Document:
    named: Document = {}
    if resource.short_names:
        named["shortNames"] = list(resource.short_names)
    if resource.categories:
        named["categories"] = list(resource.categories)
    return named


def _sub_row(resource: Resource, one: Subresource) -> Document:
    row: Document = {
        "name": f"{resource.plural}/{one.name}",
        "singularName": "",
        "namespaced": resource.namespaced,
    }
    if one.group and one.group != resource.group:
        row["group"] = one.group
    if one.version and (one.group, one.version) != (resource.group, resource.version):
        row["version"] = one.version
    return {**row, "kind": one.kind, "verbs": list(one.verbs)}


def aggregated(groups: dict[str, Versions]) -> Document:
    """Make the document that tells all of these groups."""
    return {
        "kind": "APIGroupDiscoveryList",
        "apiVersion": AGGREGATED,
        "metadata": {},
        "items": [
            {
                "metadata": {"name": name} if name else {},
                "versions": [_version(version, found) for version, found in versions.items()],
            }
            for name, versions in groups.items()
        ],
    }


def _version(version: str, resources: list[Resource]) -> Document:
    if resources[0].custom:
        resources = sorted(resources, key=lambda resource: resource.plural)
    return {
        "version": version,
        "resources": [_entry(resource) for resource in resources],
        "freshness": "Current",
    }


def _entry(resource: Resource) -> Document:
    entry: Document = {
        "resource": resource.plural,
        "responseKind": _kind(resource, "", "", resource.kind),
        "scope": "Namespaced" if resource.namespaced else "Cluster",
        "singularResource": resource.singular,
        "verbs": list(resource.verbs),
        **_names(resource),
    }
    if resource.subresources:
        entry["subresources"] = [
            {
                "subresource": one.name,
                "responseKind": _kind(resource, one.group, one.version, one.kind),
                "verbs": list(one.verbs),
            }
            for one in resource.subresources.values()
        ]
    return entry


def _kind(resource: Resource, group: str, version: str, kind: str) -> Document:
    # A real server leaves out the group and version that the document has around it, but for
    # custom kinds.
    if resource.custom and not version:
        group, version = resource.group, resource.version
    return {"group": group, "version": version, "kind": kind}
