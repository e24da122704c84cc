"""Rules on one version of a CRD: schema, subresources, printer columns, selectable fields."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from kedge.apiserver.crd import defaultcheck, internal, keywords, structural
from kedge.apiserver.crd.fieldpath import FieldPathError, resolve
from kedge.apiserver.crd.keywords import Where
from kedge.kube.fielderror import (
    FieldError,
    Shown,
    duplicate,
    forbidden,
    invalid,
    required,
    too_many,
    typed,
)
from kedge.kube.gotext import to_json

if TYPE_CHECKING:
    from kedge.apiserver.crd.rulecheck import RuleChecker

Json = dict[str, Any]

COLUMN_TYPES = ("boolean", "date", "integer", "number", "string")
COLUMN_FORMATS = ("byte", "date", "date-time", "double", "float", "int32", "int64", "password")
MAX_SELECTABLE = 8
MAX_WARNING = 256
_AT_ROOT = (
    "Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength "
    "MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties "
    "ExternalDocs Example XPreserveUnknownFields XValidations"
)
_AT_ROOT_NAMES = frozenset(_AT_ROOT.split())


def validate_version(
    version: Json, path: str, has_status: bool, rules: "RuleChecker | None"
) -> Iterator[FieldError]:
    """Check what differs from the other versions."""
    warning = version.get("deprecationWarning")
    for problem in _warning(bool(version.get("deprecated")), warning):
        yield invalid(f"{path}.deprecationWarning", typed(warning or ""), problem)
    if version.get("schema") is not None:
        yield from validate_schema(version["schema"], f"{path}.schema", has_status, rules)
    yield from validate_subresources(version.get("subresources"), f"{path}.subresources")
    for position, column in enumerate(version.get("additionalPrinterColumns") or ()):
        yield from validate_column(column, f"{path}.additionalPrinterColumns[{position}]")
    if version.get("selectableFields"):
        schema = (version.get("schema") or {}).get("openAPIV3Schema")
        place = f"{path}.selectableFields"
        if schema is None:
            rule = "may only be set when `version.schema.openAPIV3Schema` is not included"
            yield invalid(place, "", rule)
        else:
            yield from validate_selectable(version["selectableFields"], schema, path)


def _warning(deprecated: bool, text: str | None) -> Iterator[str]:
    if text is None:
        return
    if not deprecated:
        yield "can only be set for deprecated versions"
        return
    if len(text.encode()) > MAX_WARNING:
        yield f"must be <= {MAX_WARNING} characters long"
    if not text:
        yield "must not be an empty string"
    for position, char in enumerate(text):
        if not char.isprintable():
            at = len(text[:position].encode())
            rule = "must only contain printable UTF-8 characters; non-printable character found"
            yield f"{rule} at index {at}"
            break


def validate_schema(
    validation: Json, path: str, has_status: bool, rules: "RuleChecker | None"
) -> list[FieldError]:
    """Check a schema: root, structure, defaults, keywords, rules."""
    schema = validation.get("openAPIV3Schema")
    if schema is None:
        return []
    place = f"{path}.openAPIV3Schema"
    found = [*_root(schema, path, has_status)]
    if schema.get("nullable"):
        found.append(forbidden(f"{place}.nullable", "nullable cannot be true at the root"))
    checker = None
    unsupported = structural.unsupported(schema)
    if not unsupported:
        problems = structural.validate(schema, place)
        problems = problems or defaultcheck.validate(schema, place, rules)
        found += problems
        if not problems and rules is not None:
            checker = rules.at_root()
    found += keywords.check(schema, place, Where(is_root=True, rules=checker)).all
    if unsupported and not found:
        found.append(invalid(place, "", unsupported))
    if checker is not None:
        found += checker.over_budget(place)
    return found


def _root(schema: Json, path: str, has_status: bool) -> Iterator[FieldError]:
    """Check that the status can be cut out of the schema where it is a subresource."""
    if not has_status:
        return
    for name, value in internal.schema(schema).items():
        if value is None or value is False or value == "":
            continue
        if name == "Type":
            if value != "object":
                rule = (
                    'only "object" is allowed as the type at the root of the schema '
                    "if the status subresource is enabled"
                )
                yield invalid(f"{path}.openAPIV3Schema.type", value, rule)
                return
        elif name not in _AT_ROOT_NAMES:
            rule = (
                f"only [{_AT_ROOT}] fields are allowed at the root of the schema "
                "if the status subresource is enabled"
            )
            shown = Shown(to_json(internal.schema(schema)))
            yield invalid(f"{path}.openAPIV3Schema", shown, rule)
            return


def validate_subresources(subresources: Json | None, path: str) -> Iterator[FieldError]:
    """Check the paths of the scale subresource."""
    scale = (subresources or {}).get("scale")
    if scale is None:
        return
    for name, root in (("specReplicasPath", "spec"), ("statusReplicasPath", "status")):
        place, value = f"{path}.scale.{name}", scale.get(name) or ""
        if not value:
            yield required(place)
        elif value[0] != ".":
            yield invalid(place, value, "must be a simple json path starting with .")
        elif not value.startswith(f".{root}."):
            yield invalid(place, value, f"should be a json path under .{root}")
    selector = scale.get("labelSelectorPath") or ""
    place = f"{path}.scale.labelSelectorPath"
    if selector and selector[0] != ".":
        yield invalid(place, selector, "must be a simple json path starting with .")
    elif selector and not selector.startswith((".spec.", ".status.")):
        rule = "should be a json path under either .spec or .status"
        yield invalid(place, typed(selector), rule)


def validate_column(column: Json, path: str) -> Iterator[FieldError]:
    """Check a printer column."""
    if not column.get("name"):
        yield required(f"{path}.name")
    kind, known = column.get("type") or "", f"must be one of {','.join(COLUMN_TYPES)}"
    if not kind:
        yield required(f"{path}.type", known)
    elif kind not in COLUMN_TYPES:
        yield invalid(f"{path}.type", kind, known)
    form = column.get("format") or ""
    if form and form not in COLUMN_FORMATS:
        yield invalid(f"{path}.format", form, f"must be one of {','.join(COLUMN_FORMATS)}")
    json_path = column.get("jsonPath") or ""
    if not json_path:
        yield required(f"{path}.JSONPath")
    elif json_path[0] != ".":
        rule = "must be a simple json path starting with ."
        yield invalid(f"{path}.JSONPath", json_path, rule)


def validate_selectable(fields: list[Json], schema: Json, path: str) -> Iterator[FieldError]:
    """Check the fields that field selectors may name. `path` is that of the version or the spec."""
    unsupported = structural.unsupported(schema)
    if unsupported:
        yield invalid(f"{path}.schema.openAPIV3Schema", "", unsupported)
    seen: set[str] = set()
    for position, one in enumerate(fields):
        place = f"{path}.selectableFields[{position}].jsonPath"
        yield from _selectable(one.get("jsonPath") or "", schema, place, seen)
    if len(seen) > MAX_SELECTABLE:
        yield too_many(f"{path}.selectableFields", len(seen), MAX_SELECTABLE)


def _selectable(text: str, schema: Json, place: str, seen: set[str]) -> Iterator[FieldError]:
    if not text:
        yield required(place)
        return
    try:
        path, node = resolve(text, schema, brackets=False)
    except FieldPathError as exc:
        yield invalid(place, text, f"is an invalid path: {exc}")
        return
    if path == "metadata" or path.startswith(("metadata.", "metadata[")):
        yield invalid(place, text, "must not point to fields in metadata")
    if (node or {}).get("type") not in ("string", "boolean", "integer"):
        rule = (
            "must point to a field of type string, boolean or integer. "
            "Enum string fields and strings with formats are allowed."
        )
        yield invalid(place, text, rule)
    if path in seen:
        yield duplicate(place, text)
    seen.add(path)
