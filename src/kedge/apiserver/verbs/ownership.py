"""Who owns which field, as far as it depends on the kind: its versions, and what it sets back."""

from copy import deepcopy
from functools import partial
from typing import Any

from kedge.apiserver.kinds.registered import is_registered
from kedge.apiserver.resource import Object, Resource
from kedge.kube.apply import Version
from kedge.kube.apply.sets import FieldSet
from kedge.kube.apply.track import Unconvertible


def of_known_versions(resource: Resource, entries: list[Any]) -> list[Any]:
    """Leave out owners who used a version that there is not."""
    own = resource.api_version
    return [
        one
        for one in entries
        if one["apiVersion"] == own
        or is_registered(one["apiVersion"], resource.kind, resource.group)
    ]


def versions_of(resource: Resource, subresource: str) -> dict[str, Version] | None:
    """Give the versions of a kind that has several, for owners who used another one."""
    if not resource.versions:
        return None
    return {
        one.api_version: Version(one.schema, partial(_as, one), reset_of(one, subresource))
        for one in resource.versions
    }


def _as(version: Resource, obj: Object) -> Object:
    """Give an object in another version; fields that a custom one lacks stop the tracking."""
    if not version.custom:
        return _converted(version, deepcopy(obj))
    result = {**deepcopy(obj), "apiVersion": version.api_version}
    # A null stays: an apply leaves one where it took out all that a field had.
    if version.schema.rules.strip(result):
        raise Unconvertible(version.api_version)
    return result


def _converted(version: Resource, obj: Object) -> Object:
    given = obj.get("apiVersion", version.api_version)
    if given == version.api_version:
        return obj
    if version.stored:
        other = next(one for one in version.versions if one.api_version == given)
        return other.strategy.to_storage(obj)
    return version.strategy.from_storage(obj)


def reset_of(resource: Resource, subresource: str) -> FieldSet | None:
    """Give the fields that an endpoint sets back, as a set; None where there are none."""
    key = f"reset/{subresource}"
    if key not in resource.schema.cache:
        found: FieldSet = {}
        for path in resource.strategy.reset_fields(subresource):
            place = found
            for name in path:
                place = place.setdefault(f"f:{name}", {})
        resource.schema.cache[key] = found or None
    reset: FieldSet | None = resource.schema.cache[key]
    return reset
