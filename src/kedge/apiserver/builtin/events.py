"""Events: what happened to an object, in the old form that is stored and in the new one."""

from typing import Any

from kedge.apiserver.builtin import fields
from kedge.apiserver.builtin.fields import IMMUTABLE, Errors
from kedge.apiserver.builtin.plain import Plain
from kedge.apiserver.resource import Context, Object
from kedge.kube import names
from kedge.kube.fielderror import FieldError, Shown, typed
from kedge.kube.gotext import Struct, to_json

LIMITS = {"reportingInstance": 128, "action": 128, "reason": 128}
LONGEST_NOTE = 1024
MISMATCH = "does not match event.namespace"
UNSET = "needs to be unset"
REFERENCE = {
    "Kind": "kind",
    "Namespace": "namespace",
    "Name": "name",
    "UID": "uid",
    "APIVersion": "apiVersion",
    "ResourceVersion": "resourceVersion",
    "FieldPath": "fieldPath",
}
# The fields of events.k8s.io/v1 that have another name in v1, where they are stored.
RENAMED = {
    "regarding": "involvedObject",
    "note": "message",
    "reportingController": "reportingComponent",
    "deprecatedSource": "source",
    "deprecatedFirstTimestamp": "firstTimestamp",
    "deprecatedLastTimestamp": "lastTimestamp",
    "deprecatedCount": "count",
}
STORED = {old: new for new, old in RENAMED.items()}
# What Go writes even when it is empty, in each form.
OLD_ZERO: Object = {
    "involvedObject": {},
    "source": {},
    "firstTimestamp": None,
    "lastTimestamp": None,
    "eventTime": None,
    "reportingComponent": "",
    "reportingInstance": "",
}
NEW_ZERO: Object = {
    "eventTime": None,
    "regarding": {},
    "deprecatedSource": {},
    "deprecatedFirstTimestamp": None,
    "deprecatedLastTimestamp": None,
}


class EventStrategy(Plain):
    """Hooks of v1 Event."""

    checks_metadata = False
    known_finalizers = False
    reporter = "reportingComponent"

    def validate_name(self, name: str, prefix: bool) -> list[str]:
        """Take any name that fits in a path."""
        return names.path_segment(name, prefix)

    def validate(self, obj: Object, context: Context) -> list[FieldError]:
        """Check a new event."""
        errors = Errors()
        check_old_rules(errors, obj, self.reporter)
        return errors

    def validate_update(self, new: Object, old: Object, context: Context) -> list[FieldError]:
        """Check a changed event as if it were new: all of it may change."""
        return self.validate(new, context)

    def select(self, obj: Object, path: str) -> Any:
        """Give what a field selector compares, from an event as it is stored."""
        if path == "source":
            source = obj.get("source") or {}
            return source.get("component") or obj.get("reportingComponent")
        return super().select(obj, path)


class NewEventStrategy(EventStrategy):
    """Hooks of events.k8s.io/v1 Event."""

    known_finalizers = True
    reporter = "reportingController"

    def validate_name(self, name: str, prefix: bool) -> list[str]:
        """Take subdomains."""
        return names.subdomain_name(name, prefix)

    def validate(self, obj: Object, context: Context) -> list[FieldError]:
        """Check a new event by the old rules and by stricter ones."""
        event = self.to_storage(obj)
        errors = Errors()
        check_old_rules(errors, event, self.reporter)
        self.check_metadata(errors, obj)
        _check_series(errors, event)
        if not event.get("eventTime"):
            errors.required("eventTime")
        if event.get("type") not in ("Normal", "Warning"):
            errors.invalid("type", "", f"has invalid value: {event.get('type', '')}")
        for name in ("firstTimestamp", "lastTimestamp", "count"):
            if event.get(name):
                errors.invalid(name, "", UNSET)
        if event["source"]:
            errors.invalid("source", "", UNSET)
        return errors

    def validate_update(self, new: Object, old: Object, context: Context) -> list[FieldError]:
        """Check that little more than the series changes."""
        event, before = self.to_storage(new), self.to_storage(old)
        errors = Errors()
        check_old_rules(errors, event, self.reporter)
        errors += self.changed_metadata(new, old)
        if event.get("series") != before.get("series"):
            _check_series(errors, event)
        for name, path in FIXED:
            value = event.get(name)
            if (value or None) != (before.get(name) or None):
                errors.invalid(path, _shown(name, value), IMMUTABLE)
        return errors

    def select(self, obj: Object, path: str) -> Any:
        """Give what a field selector compares, from an event as it is stored."""
        first, dot, rest = path.partition(".")
        return super().select(obj, f"{RENAMED.get(first, first)}{dot}{rest}")

    def to_storage(self, obj: Object) -> Object:
        """Give the event in the old form."""
        event = {**OLD_ZERO, **{RENAMED.get(name, name): value for name, value in obj.items()}}
        event["apiVersion"] = "v1"
        series = event.get("series")
        if series is not None and not series.get("count"):
            event["series"] = {name: series[name] for name in series if name != "count"}
        return event

    def from_storage(self, obj: Object) -> Object:
        """Give a stored event in the new form."""
        event = {**NEW_ZERO, **{STORED.get(name, name): value for name, value in obj.items()}}
        event["apiVersion"] = "events.k8s.io/v1"
        for name in ("reportingController", "reportingInstance"):
            if not event.get(name):
                event.pop(name, None)
        if event.get("series") is not None:
            event["series"] = {"count": 0, "lastObservedTime": None, **event["series"]}
        return event


# What may not change, with the path that messages name, in their order.
FIXED = (
    ("involvedObject", "involvedObject"),
    ("reason", "reason"),
    ("message", "message"),
    ("source", "source"),
    ("firstTimestamp", "firstTimestamp"),
    ("lastTimestamp", "lastTimestamp"),
    ("count", "count"),
    ("reason", "reason"),
    ("type", "type"),
    ("eventTime", "eventTime"),
    ("action", "action"),
    ("related", "related"),
    ("reportingComponent", "reportingController"),
    ("reportingInstance", "reportingInstance"),
)


def check_old_rules(errors: Errors, event: Object, reporter: str) -> None:
    """Check an event by the rules that all of them must keep; `reporter` is the name of a field."""
    namespace = event["metadata"].get("namespace", "")
    involved = event["involvedObject"].get("namespace", "")
    path = "involvedObject.namespace"
    if not event.get("eventTime"):
        if namespace not in ((involved,) if involved else ("", "default")):
            errors.invalid(path, involved, MISMATCH)
    else:
        if not involved and namespace not in ("default", "kube-system"):
            errors.invalid(path, involved, MISMATCH)
        _check_report(errors, event, reporter)
    errors.each("namespace", namespace, names.dns_subdomain(namespace))


def _check_report(errors: Errors, event: Object, reporter: str) -> None:
    controller = event.get("reportingComponent") or ""
    if not controller:
        errors.required(reporter)
    fields.qualified_name(errors, reporter, controller)
    for name, limit in LIMITS.items():
        text = event.get(name) or ""
        if not text:
            errors.required(name)
        if names.size(text) > limit:
            errors.invalid(name, "", f"can have at most {limit} characters")
    if names.size(event.get("message") or "") > LONGEST_NOTE:
        errors.invalid("message", "", f"can have at most {LONGEST_NOTE} characters")


def _check_series(errors: Errors, event: Object) -> None:
    series = event.get("series")
    if series is None:
        return
    if series.get("count", 0) < 2:
        errors.invalid("series.count", "", "should be at least 2")
    if not series.get("lastObservedTime"):
        errors.required("series.lastObservedTime")


def _shown(name: str, value: Any) -> Any:
    """Give a value in the form that messages show."""
    if name in ("involvedObject", "related"):
        if value is None:
            return None
        return Shown(to_json(Struct((go, value.get(key, "")) for go, key in REFERENCE.items())))
    if name == "source":
        source = Struct(Component=value.get("component", ""), Host=value.get("host", ""))
        return Shown(to_json(source))
    if name == "count":
        return value or 0
    if name in ("firstTimestamp", "lastTimestamp", "eventTime"):
        return None if value is None else typed(value)
    return value or ""
