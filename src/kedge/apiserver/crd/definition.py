"""CustomResourceDefinitions themselves: defaults, rules, and the hooks of their kind."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from kedge.apiserver.crd import internal
from kedge.apiserver.crd.approval import validate_approval
from kedge.apiserver.crd.hoist import internal_spec, is_alike
from kedge.apiserver.crd.names import terminate, validate_names
from kedge.apiserver.crd.spot import has_rules
from kedge.apiserver.crd.text.format import is_known
from kedge.apiserver.crd.versions import (
    validate_column,
    validate_schema,
    validate_selectable,
    validate_subresources,
    validate_version,
)
from kedge.apiserver.resource import Context, Object, Strategy
from kedge.kube.fielderror import (
    FieldError,
    forbidden,
    invalid,
    not_supported,
    required,
    typed,
)
from kedge.kube.gotext import quote
from kedge.kube.metadata import IMMUTABLE
from kedge.kube.names import dns_1035_label, dns_subdomain

if TYPE_CHECKING:
    from kedge.apiserver.crd.rulecheck import RuleChecker

SCOPES = ("Cluster", "Namespaced")
CONVERSIONS = ("None", "Webhook")
TOO_DEEP = "a schema nests too deeply"
NO_WEBHOOKS = "this server has no conversion webhooks"
NOT_ENFORCED = (
    "x-kubernetes-validations: the rules are kept and not enforced; "
    "install kedge[cel] to enforce them"
)


class DefinitionStrategy(Strategy):
    """Hooks of CustomResourceDefinition. Without `enforce`, CEL rules are taken and left alone."""

    allow_unconditional_update = False
    holds_deletion = True
    known_finalizers = False

    def __init__(self, enforce: bool = True) -> None:
        """Check CEL rules, or let them pass with a warning."""
        self.enforce = enforce

    def default(self, obj: Object) -> None:
        """Fill in the names, the conversion and the stored versions."""
        spec = obj.setdefault("spec", {})
        names = spec.setdefault("names", {})
        kind = names.get("kind") or ""
        names["singular"] = names.get("singular") or kind.lower()
        if kind and not names.get("listKind"):
            names["listKind"] = f"{kind}List"
        if spec.get("conversion") is None:
            spec["conversion"] = {"strategy": "None"}
        status = obj.setdefault("status", {})
        if not status.get("storedVersions"):
            status["storedVersions"] = storage_versions(spec)[:1]

    def prepare_create(self, obj: Object, context: Context) -> None:
        """Begin with a status of nothing but the stored version."""
        stored = storage_versions(obj["spec"])[:1]
        obj["status"] = {
            "conditions": None,
            "acceptedNames": {"plural": "", "kind": ""},
            "storedVersions": stored or None,
        }

    def prepare_update(self, new: Object, old: Object, context: Context) -> None:
        """Keep the status, or on its endpoint all but the status; note a new storage version."""
        if context.subresource:
            new["spec"] = old["spec"]
            return
        new["status"] = {**(old.get("status") or {})}
        stored = list(new["status"].get("storedVersions") or [])
        fresh = [name for name in storage_versions(new["spec"])[:1] if name not in stored]
        new["status"]["storedVersions"] = stored + fresh

    def reset_fields(self, subresource: str) -> tuple[tuple[str, ...], ...]:
        """Give the paths that an endpoint never writes."""
        return (("metadata",), ("spec",)) if subresource else (("status",),)

    def validate(self, obj: Object, context: Context) -> list[FieldError]:
        """Check a new definition."""
        return [*_name(obj), *self._findings(obj, None)]

    def validate_update(self, new: Object, old: Object, context: Context) -> list[FieldError]:
        """Check a changed definition, and that its names are the same."""
        if context.subresource:
            return [*validate_status(new)]
        return self._findings(new, old)

    def _findings(self, new: Object, old: Object | None) -> list[FieldError]:
        try:
            return [*self._rules_of(new, old)]
        except RecursionError:
            return [forbidden("spec.versions", TOO_DEEP)]

    def _rules_of(self, new: Object, old: Object | None) -> Iterator[FieldError]:
        spec = internal_spec(new["spec"])
        yield from validate_spec(spec, self._checkers(new, old))
        if old is not None:
            yield from _immutable(new["spec"], old)
        yield from validate_status(new)
        yield from validate_stored(new)
        yield from validate_approval(new, old)
        kept = old is not None and old["spec"].get("preserveUnknownFields")
        if spec.get("preserveUnknownFields") and not kept:
            rule = (
                "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in "
                "spec.versions[*].schema instead"
            )
            yield invalid("spec.preserveUnknownFields", True, rule)

    def _checkers(self, new: Object, old: Object | None) -> "Checkers":
        """Give what checks the CEL rules of each version; nothing where there are none."""
        if not self.enforce or not _has_rules(new):
            return {}
        from kedge.apiserver.crd.rulecheck import RuleChecker  # CEL is loaded when it is needed

        before = _schemas_by_version(old) if old else {}
        return {
            name: RuleChecker(tolerant=name in before and is_alike(schema, before[name]))
            for name, schema in _schemas_by_version(new).items()
        }

    def hold_deletion(self, obj: Object, now: str) -> bool:
        """Wait for the objects of the kind to go."""
        if obj["metadata"].get("deletionTimestamp"):
            return False
        terminate(obj, now)
        return True

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        """Tell of formats that nobody checks, and of rules that are not enforced."""
        known = set(_unknown_formats(old)) if old else set()
        fresh = [name for name in _unknown_formats(obj) if name not in known]
        found = [f"unrecognized format {quote(name)}" for name in fresh]
        if not self.enforce and _has_rules(obj):
            found.append(NOT_ENFORCED)
        return found


Checkers = dict[str, "RuleChecker"]


def _schemas_by_version(crd: Object) -> dict[str, Object | None]:
    return {one.get("name") or "": one.get("schema") for one in crd["spec"].get("versions") or ()}


def storage_versions(spec: Object) -> list[str]:
    """Give the names of the versions that are marked for storage."""
    return [one.get("name") or "" for one in spec.get("versions") or () if one.get("storage")]


def _name(obj: Object) -> Iterator[FieldError]:
    spec, meta = obj["spec"], obj["metadata"]
    wanted = f"{(spec.get('names') or {}).get('plural') or ''}.{spec.get('group') or ''}"
    for field in ("generateName", "name"):
        if meta.get(field) and meta[field] != wanted:
            rule = 'must be spec.names.plural+"."+spec.group'
            yield invalid(f"metadata.{field}", meta[field], rule)


def validate_spec(spec: Object, rules: Checkers) -> Iterator[FieldError]:
    """Check a spec in its internal form; `rules` check the CEL rules of its versions."""
    yield from _group(spec.get("group") or "")
    scope = spec.get("scope") or ""
    if not scope:
        yield required("spec.scope")
    elif scope not in SCOPES:
        yield not_supported("spec.scope", scope, SCOPES)
    yield from _schemas_present(spec)
    if spec.get("preserveUnknownFields") and _has_defaults(spec):
        rule = "must be false in order to use defaults in the schema"
        yield invalid("spec.preserveUnknownFields", True, rule)
    yield from _versions(spec, rules)
    for field in ("plural", "singular", "kind", "listKind"):
        if not (spec.get("names") or {}).get(field):
            yield required(f"spec.names.{field}")
    yield from validate_names(spec.get("names") or {}, "spec.names")
    yield from _shared(spec, rules)
    yield from _conversion(spec)


def _group(group: str) -> Iterator[FieldError]:
    if not group:
        yield required("spec.group")
    elif problems := dns_subdomain(group):
        yield invalid("spec.group", group, ",".join(problems))
    elif "." not in group:
        yield invalid("spec.group", group, "should be a domain with at least one dot")


def _schemas_present(spec: Object) -> Iterator[FieldError]:
    if (spec.get("validation") or {}).get("openAPIV3Schema") is not None:
        return
    for position, version in enumerate(spec["versions"]):
        if (version.get("schema") or {}).get("openAPIV3Schema") is None:
            yield required(f"spec.versions[{position}].schema.openAPIV3Schema")


def _versions(spec: Object, rules: Checkers) -> Iterator[FieldError]:
    versions = spec["versions"]
    own = any(version.get("subresources") is not None for version in versions)
    by_name = {one.get("name"): one.get("subresources") for one in reversed(versions)}
    for position, version in enumerate(versions):
        path = f"spec.versions[{position}]"
        problems = dns_1035_label(version.get("name") or "")
        if problems:
            yield invalid(f"{path}.name", version.get("name") or "", ",".join(problems))
        subresources = by_name[version.get("name")] if own else spec.get("subresources")
        has_status = (subresources or {}).get("status") is not None
        checker = rules.get(version.get("name") or "")
        yield from validate_version(version, path, has_status, checker)
    names = [version.get("name") or "" for version in versions]
    if len(set(names)) != len(names):
        rule = "must contain unique version names"
        yield invalid("spec.versions", internal.versions(versions), rule)
    if sum(bool(version.get("storage")) for version in versions) != 1:
        rule = "must have exactly one version marked as storage version"
        shown = internal.versions(versions if spec["isListed"] else None)
        yield invalid("spec.versions", shown, rule)
    yield from _first_name(names)


def _first_name(names: list[str]) -> Iterator[FieldError]:
    """Check the name that the internal form keeps apart."""
    problems = dns_1035_label(names[0]) if names and names[0] else []
    if problems:
        yield invalid("spec.version", names[0], ",".join(problems))


def _shared(spec: Object, rules: Checkers) -> Iterator[FieldError]:
    """Check what all versions have in common."""
    some = [spec.get("subresources"), *(one.get("subresources") for one in spec["versions"])]
    has_status = any((one or {}).get("status") is not None for one in some)
    validation = spec.get("validation")
    if validation is not None:
        first = spec["versions"][0].get("name") or "" if spec["versions"] else ""
        checker = rules.get(first)
        yield from validate_schema(validation, "spec.validation", has_status, checker)
    yield from validate_subresources(spec.get("subresources"), "spec.subresources")
    for position, column in enumerate(spec.get("additionalPrinterColumns") or ()):
        yield from validate_column(column, f"spec.additionalPrinterColumns[{position}]")
    if spec.get("selectableFields"):
        if validation is None:
            rule = "may only be set when validations.schema is included"
            yield invalid("spec.selectableFields", "", rule)
        else:
            schema = validation.get("openAPIV3Schema") or {}
            yield from validate_selectable(spec["selectableFields"], schema, "spec")


def _conversion(spec: Object) -> Iterator[FieldError]:
    conversion = spec.get("conversion")
    if conversion is None:
        return
    strategy, webhook = conversion.get("strategy") or "", conversion.get("webhook")
    if strategy != "None" and spec.get("preserveUnknownFields"):
        rule = "must be None if spec.preserveUnknownFields is true"
        yield invalid("spec.conversion.strategy", typed(strategy), rule)
    if not strategy:
        yield required("spec.conversion.strategy")
    elif strategy not in CONVERSIONS:
        yield not_supported("spec.conversion.strategy", strategy, CONVERSIONS)
    config = (webhook or {}).get("clientConfig")
    reviews = (webhook or {}).get("conversionReviewVersions") or []
    if strategy == "Webhook":
        found = [*_webhook(config, reviews)]
        yield from found or [forbidden("spec.conversion.strategy", NO_WEBHOOKS)]
        return
    rule = "should not be set when strategy is not set to Webhook"
    if config is not None:
        yield forbidden("spec.conversion.webhookClientConfig", rule)
    if reviews:
        yield forbidden("spec.conversion.conversionReviewVersions", rule)


def _webhook(config: Object | None, reviews: list[str]) -> Iterator[FieldError]:
    path = "spec.conversion.webhookClientConfig"
    if config is None:
        yield required(path, "required when strategy is set to Webhook")
    elif (config.get("url") is None) == (config.get("service") is None):
        yield required(path, "exactly one of url or service is required")
    path = "spec.conversion.conversionReviewVersions"
    if not reviews:
        yield required(path)
    elif not {"v1", "v1beta1"} & set(reviews):
        yield invalid(path, reviews, "must include at least one of v1, v1beta1")


def _immutable(spec: Object, old: Object) -> Iterator[FieldError]:
    before = old["spec"]
    conditions = (old.get("status") or {}).get("conditions") or ()
    established = any(
        one.get("type") == "Established" and one.get("status") == "True" for one in conditions
    )
    names, old_names = spec.get("names") or {}, before.get("names") or {}
    if established:
        if spec.get("scope") != before.get("scope"):
            yield invalid("spec.scope", typed(spec.get("scope") or ""), IMMUTABLE)
        if names.get("kind") != old_names.get("kind"):
            yield invalid("spec.names.kind", names.get("kind") or "", IMMUTABLE)
    if spec.get("group") != before.get("group"):
        yield invalid("spec.group", spec.get("group") or "", IMMUTABLE)
    if names.get("plural") != old_names.get("plural"):
        yield invalid("spec.names.plural", names.get("plural") or "", IMMUTABLE)


def validate_status(obj: Object) -> Iterator[FieldError]:
    """Check the accepted names."""
    names = (obj.get("status") or {}).get("acceptedNames") or {}
    yield from validate_names(names, "status.acceptedNames")


def validate_stored(obj: Object) -> Iterator[FieldError]:
    """Check that every version that objects may be stored in is still there."""
    stored = (obj.get("status") or {}).get("storedVersions")
    path = "status.storedVersions"
    if not stored:
        yield invalid(path, stored, "must have at least one stored version")
        return
    left = {name: position for position, name in enumerate(stored)}
    for version in obj["spec"].get("versions") or ():
        name = version.get("name") or ""
        if version.get("storage") and name not in left:
            yield invalid(path, stored, f"must have the storage version {name}")
        left.pop(name, None)
    for name, position in left.items():
        rule = (
            f"missing from spec.versions; {name} was previously a storage version, and must "
            "remain in spec.versions until a storage migration ensures no data remains "
            f"persisted in {name} and removes {name} from status.storedVersions"
        )
        yield invalid(f"{path}[{position}]", name, rule)


def schemas_within(schema: Any) -> Iterator[Object]:
    """Give a schema and all schemas below it, junctors included."""
    if not isinstance(schema, dict):
        return
    yield schema
    items = schema.get("items")
    for one in items if isinstance(items, list) else [items]:
        yield from schemas_within(one)
    for name in ("allOf", "anyOf", "oneOf"):
        for one in schema.get(name) or ():
            yield from schemas_within(one)
    yield from schemas_within(schema.get("not"))
    for _, part in sorted((schema.get("properties") or {}).items()):
        yield from schemas_within(part)
    yield from schemas_within(schema.get("additionalProperties"))


def _schemas(spec: Object) -> Iterator[Object]:
    shared = [spec.get("validation"), *(one.get("schema") for one in spec["versions"])]
    for validation in shared:
        yield from schemas_within((validation or {}).get("openAPIV3Schema"))


def _has_defaults(spec: Object) -> bool:
    return any(schema.get("default") is not None for schema in _schemas(spec))


def _has_rules(obj: Object) -> bool:
    schemas = _schemas_by_version(obj).values()
    return any(has_rules((schema or {}).get("openAPIV3Schema")) for schema in schemas)


def _unknown_formats(obj: Object) -> list[str]:
    return [
        schema["format"]
        for schema in _schemas(internal_spec(obj["spec"]))
        if schema.get("format")
        and schema.get("type") == "string"
        and not is_known(schema["format"])
    ]
