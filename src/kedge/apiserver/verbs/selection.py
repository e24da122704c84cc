"""Selectors of a list or watch, compiled into one test on raw JSON."""

from collections.abc import Callable
from typing import Any

import msgspec

from kedge.apiserver.http.query import ListOptions
from kedge.apiserver.objects import decode
from kedge.apiserver.resource import Resource
from kedge.kube.errors import BadRequest
from kedge.kube.fieldselectors import FieldSelector, parse_fields
from kedge.kube.gotext import quote
from kedge.kube.requirements import SelectorError
from kedge.kube.selectors import parse_labels

Matcher = Callable[[bytes], bool]


class _Meta(msgspec.Struct):
    labels: dict[str, str] | None = None
    name: str = ""
    namespace: str = ""


class _Head(msgspec.Struct):
    metadata: _Meta


_read_head = msgspec.json.Decoder(_Head).decode
NAMED = ("metadata.name", "metadata.namespace")


class Selection:
    """What of a collection is wanted. `matches` is None when all of it is."""

    def __init__(self, resource: Resource, options: ListOptions, name: str = "") -> None:
        """Parse the selectors; a bad one is a BadRequest."""
        try:
            self.labels = parse_labels(options.labels) if options.labels else None
            self.fields = parse_fields(options.fields) if options.fields else None
        except SelectorError as exc:
            raise BadRequest(str(exc)) from exc
        self.resource = resource
        self.name = name
        if self.fields is not None:
            self._check_fields(self.fields)
            if name and not self.fields.empty and self.fields.exact("metadata.name") != name:
                raise BadRequest("fieldSelector metadata.name doesn't match requested name")
        self.matches = self._matcher()

    @property
    def by_labels_only(self) -> bool:
        """Whether labels alone decide."""
        return (
            self.labels is not None
            and not self.labels.empty
            and self.fields is None
            and not self.name
        )

    def _check_fields(self, selector: FieldSelector) -> None:
        for path in paths_of(selector):
            if path in self.resource.selectable or (path in NAMED and self._is_known(path)):
                continue
            if self.resource.custom:
                raise BadRequest(f"field label not supported: {path}")
            raise BadRequest(unsupported_label(self.resource, path))

    def _is_known(self, path: str) -> bool:
        # Kinds without namespaces that list their fields themselves do not list this one.
        resource = self.resource
        listed = bool(resource.selectable) and not resource.namespaced and not resource.custom
        return path == "metadata.name" or not listed

    def _matcher(self) -> Matcher | None:
        tests: list[Matcher] = []
        if self.name:
            tests.append(lambda raw: _read_head(raw).metadata.name == self.name)
        if self.labels is not None and not self.labels.empty:
            match = self.labels.matches
            tests.append(lambda raw: match(_read_head(raw).metadata.labels or {}))
        if self.fields is not None and not self.fields.empty:
            tests.append(_field_matcher(self.resource, self.fields))
        if not tests:
            return None
        if len(tests) == 1:
            return tests[0]
        return lambda raw: all(test(raw) for test in tests)


def paths_of(selector: FieldSelector) -> list[str]:
    """Name the fields a selector looks at."""
    return [requirement.field for requirement in selector.requirements]


def unsupported_label(resource: Resource, path: str) -> str:
    """Say that a field can not be selected by, in the words of the kind."""
    if resource.kind == "Job":
        return f'field label "{path}" not supported for Job'
    if resource.kind == "ResourceSlice":
        return f"field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: {path}"
    if resource.selectable:
        return f"field label not supported: {path}"
    known = ", ".join(map(quote, NAMED))
    return f"{quote(path)} is not a known field selector: only {known}"


def _field_matcher(resource: Resource, selector: FieldSelector) -> Matcher:
    if all(path in NAMED for path in paths_of(selector)):

        def by_name(raw: bytes) -> bool:
            meta = _read_head(raw).metadata
            values = {"metadata.name": meta.name, "metadata.namespace": meta.namespace}
            return selector.matches(lambda path: values[path])

        return by_name

    def by_field(raw: bytes) -> bool:
        obj = decode(raw)
        return selector.matches(lambda path: field_value(resource, obj, path))

    return by_field


def field_value(resource: Resource, obj: dict[str, Any], path: str) -> str:
    """Give the text of a field, as field selectors compare it."""
    value: Any = resource.strategy.select(obj, path)
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
