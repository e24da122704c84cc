"""The parts of a CRD as Kubernetes' internal Go types write them, for messages that show them."""

from collections.abc import Callable
from typing import Any

from kedge.kube.fielderror import Shown
from kedge.kube.gotext import Struct, to_json

Json = dict[str, Any]
Write = Callable[[Any], Any]


def _pointer(value: Any) -> Any:
    return value


def _text(value: Any) -> str:
    return value or ""


def _flag(value: Any) -> bool:
    return bool(value)


def _float(value: Any) -> Any:
    return None if value is None else float(value)


def _each(write: Write) -> Write:
    return lambda value: None if value is None else [write(item) for item in value]


def _map(write: Write) -> Write:
    return lambda value: None if value is None else {key: write(value[key]) for key in value}


def _optional(write: Write) -> Write:
    return lambda value: None if value is None else write(value)


def schema(value: Json) -> Struct:
    """Write a JSONSchemaProps."""
    return Struct({name: write(value.get(key)) for name, key, write in _SCHEMA})


def _schema_or_list(value: Any) -> Struct:
    many = isinstance(value, list)
    return Struct(
        Schema=None if many else schema(value),
        JSONSchemas=[schema(one) for one in value] if many else None,
    )


def _schema_or_bool(value: Any) -> Struct:
    is_schema = isinstance(value, dict)
    allows = True if is_schema else bool(value)
    return Struct(Allows=allows, Schema=schema(value) if is_schema else None)


def _schema_or_names(value: Any) -> Struct:
    is_schema = isinstance(value, dict)
    return Struct(
        Schema=schema(value) if is_schema else None, Property=None if is_schema else value
    )


def _documentation(value: Json) -> Struct:
    return Struct(Description=value.get("description") or "", URL=value.get("url") or "")


def rule(value: Json) -> Struct:
    """Write a ValidationRule."""
    return Struct(
        Rule=value.get("rule") or "",
        Message=value.get("message") or "",
        MessageExpression=value.get("messageExpression") or "",
        Reason=value.get("reason"),
        FieldPath=value.get("fieldPath") or "",
        OptionalOldSelf=value.get("optionalOldSelf"),
    )


_SCHEMA: tuple[tuple[str, str, Write], ...] = (
    ("ID", "id", _text),
    ("Schema", "$schema", _text),
    ("Ref", "$ref", _pointer),
    ("Description", "description", _text),
    ("Type", "type", _text),
    ("Nullable", "nullable", _flag),
    ("Format", "format", _text),
    ("Title", "title", _text),
    ("Default", "default", _pointer),
    ("Maximum", "maximum", _float),
    ("ExclusiveMaximum", "exclusiveMaximum", _flag),
    ("Minimum", "minimum", _float),
    ("ExclusiveMinimum", "exclusiveMinimum", _flag),
    ("MaxLength", "maxLength", _pointer),
    ("MinLength", "minLength", _pointer),
    ("Pattern", "pattern", _text),
    ("MaxItems", "maxItems", _pointer),
    ("MinItems", "minItems", _pointer),
    ("UniqueItems", "uniqueItems", _flag),
    ("MultipleOf", "multipleOf", _float),
    ("Enum", "enum", _pointer),
    ("MaxProperties", "maxProperties", _pointer),
    ("MinProperties", "minProperties", _pointer),
    ("Required", "required", _pointer),
    ("Items", "items", _optional(_schema_or_list)),
    ("AllOf", "allOf", _each(schema)),
    ("OneOf", "oneOf", _each(schema)),
    ("AnyOf", "anyOf", _each(schema)),
    ("Not", "not", _optional(schema)),
    ("Properties", "properties", _map(schema)),
    ("AdditionalProperties", "additionalProperties", _optional(_schema_or_bool)),
    ("PatternProperties", "patternProperties", _map(schema)),
    ("Dependencies", "dependencies", _map(_schema_or_names)),
    ("AdditionalItems", "additionalItems", _optional(_schema_or_bool)),
    ("Definitions", "definitions", _map(schema)),
    ("ExternalDocs", "externalDocs", _optional(_documentation)),
    ("Example", "example", _pointer),
    ("XPreserveUnknownFields", "x-kubernetes-preserve-unknown-fields", _pointer),
    ("XEmbeddedResource", "x-kubernetes-embedded-resource", _flag),
    ("XIntOrString", "x-kubernetes-int-or-string", _flag),
    ("XListMapKeys", "x-kubernetes-list-map-keys", _pointer),
    ("XListType", "x-kubernetes-list-type", _pointer),
    ("XMapType", "x-kubernetes-map-type", _pointer),
    ("XValidations", "x-kubernetes-validations", _each(rule)),
)


def items(value: Any) -> Struct:
    """Write a JSONSchemaPropsOrArray."""
    return _schema_or_list(value)


def _column(value: Json) -> Struct:
    return Struct(
        Name=value.get("name") or "",
        Type=value.get("type") or "",
        Format=value.get("format") or "",
        Description=value.get("description") or "",
        Priority=value.get("priority") or 0,
        JSONPath=value.get("jsonPath") or "",
    )


def _scale(value: Json) -> Struct:
    return Struct(
        SpecReplicasPath=value.get("specReplicasPath") or "",
        StatusReplicasPath=value.get("statusReplicasPath") or "",
        LabelSelectorPath=value.get("labelSelectorPath"),
    )


def _subresources(value: Json) -> Struct:
    status = value.get("status")
    return Struct(
        Status=None if status is None else Struct(),
        Scale=_optional(_scale)(value.get("scale")),
    )


def _validation(value: Json) -> Struct:
    return Struct(OpenAPIV3Schema=_optional(schema)(value.get("openAPIV3Schema")))


def _version(value: Json) -> Struct:
    fields = _each(lambda one: Struct(JSONPath=one.get("jsonPath") or ""))
    return Struct(
        Name=value.get("name") or "",
        Served=bool(value.get("served")),
        Storage=bool(value.get("storage")),
        Deprecated=bool(value.get("deprecated")),
        DeprecationWarning=value.get("deprecationWarning"),
        Schema=_optional(_validation)(value.get("schema")),
        Subresources=_optional(_subresources)(value.get("subresources")),
        AdditionalPrinterColumns=_each(_column)(value.get("additionalPrinterColumns")),
        SelectableFields=fields(value.get("selectableFields")),
    )


def versions(values: list[Json] | None) -> Shown:
    """Write spec.versions."""
    return Shown(to_json(_each(_version)(values)))
