"""CustomResourceDefinitions of servers before Kubernetes 1.22, written as v1 takes them."""

from typing import Any, Final

import msgspec

from kedge.engine.restore.fields import made, rows, table, text
from kedge.kube.kind import Object

V1: Final = "apiextensions.k8s.io/v1"
V1BETA1: Final = "apiextensions.k8s.io/v1beta1"
KEEPS: Final = "x-kubernetes-preserve-unknown-fields"
NUMBER_OR_TEXT: Final = "x-kubernetes-int-or-string"
EMBEDDED: Final = "x-kubernetes-embedded-resource"
JUNCTORS: Final = ("allOf", "anyOf", "oneOf", "not")
INSIDE: Final = (*JUNCTORS, "items")
WITHOUT_TYPES: Final = frozenset(
    {"type", "default", "nullable", "description", "additionalProperties"}
)
"""What a schema of v1 must not say inside of alternatives."""


def renew_definition(definition: Object) -> None:
    """Say in the way of v1 what an older definition says; others stay as they are."""
    if definition.get("apiVersion") != V1BETA1:
        return
    definition["apiVersion"] = V1
    spec = table(definition, "spec")
    # What holds for all versions is said once there, and for each of them in v1.
    shared = {
        "schema": spec.pop("validation", None),
        "subresources": spec.pop("subresources", None),
        "additionalPrinterColumns": spec.pop("additionalPrinterColumns", None),
    }
    name = spec.pop("version", None)
    if name and not spec.get("versions"):
        spec["versions"] = [{"name": name, "served": True, "storage": True}]
    spec.setdefault("scope", "Namespaced")
    keeps = spec.get("preserveUnknownFields") is not False
    spec["preserveUnknownFields"] = keeps
    for version in rows(spec, "versions"):
        _renew_version(version, shared, keeps=keeps)
    _renew_conversion(spec)


def _renew_version(version: Object, shared: Object, *, keeps: bool) -> None:
    for field, said in shared.items():
        if said and not version.get(field):
            # Each has its own: one may be changed without the others.
            version[field] = msgspec.to_builtins(said)
    for column in rows(version, "additionalPrinterColumns"):
        if "JSONPath" in column:
            column["jsonPath"] = column.pop("JSONPath")
    schema = made(version, "schema", "openAPIV3Schema")
    if keeps or not schema:
        schema.setdefault("type", "object")
        _keep_all(schema, is_whole=True)


def _keep_all(schema: Any, *, is_whole: bool = False) -> None:
    """Let no field be cut off, at any depth: in v1 each part has to say so for itself.

    A whole object is described without its metadata, which v1 knows.
    """
    if not isinstance(schema, dict) or schema.get(NUMBER_OR_TEXT) is True:
        return
    if schema.get("type", "object") == "object" and "additionalProperties" not in schema:
        schema[KEEPS] = True
    for junctor in JUNCTORS:
        if not _is_sound(schema.get(junctor)):
            schema.pop(junctor)
    is_whole = is_whole or schema.get(EMBEDDED) is True
    properties = table(schema, "properties")
    for name, inner in properties.items():
        if is_whole and name == "metadata":
            properties[name] = {"type": "object"}
        else:
            _keep_all(inner)
    _keep_all(schema.get("items"))
    _keep_all(schema.get("additionalProperties"))


def _is_sound(alternatives: Any) -> bool:
    """Tell whether alternatives say only what v1 takes there: they are no place for types."""
    found = alternatives if isinstance(alternatives, list) else [alternatives]
    for each in found:
        if not isinstance(each, dict):
            continue
        if not WITHOUT_TYPES.isdisjoint(each):
            return False
        inner = [*table(each, "properties").values(), *(each.get(one) for one in INSIDE)]
        if not all(_is_sound(one) for one in inner):
            return False
    return True


def _renew_conversion(spec: Object) -> None:
    conversion = table(spec, "conversion")
    reviews = conversion.pop("conversionReviewVersions", None)
    client = conversion.pop("webhookClientConfig", None)
    if text(conversion, "strategy") == "Webhook":
        # Those who say nothing speak what there was then.
        webhook = {"clientConfig": client, "conversionReviewVersions": reviews or ["v1beta1"]}
        conversion["webhook"] = webhook
