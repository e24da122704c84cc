"""What the files of a backup or a restore tell, in the places where Velero tells it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from kedge.cli.objects import time_text

if TYPE_CHECKING:
    from kedge.cli.description import Description
    from kedge.cli.loaded import Loaded, Resources, Result


class Counted(Protocol):
    """A status that counts warnings and errors."""

    @property
    def warnings(self) -> int:
        """How many warnings there are."""

    @property
    def errors(self) -> int:
        """How many errors there are."""


def describe_results(text: Description, counted: Counted, loaded: Loaded) -> None:
    """Add the warnings and the errors that are counted, or why they are not known."""
    if loaded.problem:
        _problem(text, loaded)
        return
    if counted.warnings:
        text.blank()
        _result(text, "Warnings", loaded.value.warnings)
    if counted.errors:
        text.blank()
        _result(text, "Errors", loaded.value.errors)


def _result(text: Description, name: str, result: Result) -> None:
    """Add warnings or errors, as Velero lays them out."""
    text.line(f"{name}:")
    for title, found in (("Velero:", result.velero), ("Cluster:", result.cluster)):
        _slice(text, title, found, depth=1)
    if not result.namespaces:
        text.line("Namespaces: <none>", depth=1)
        return
    text.line("Namespaces:", depth=1)
    for namespace in sorted(result.namespaces):
        _slice(text, f"{namespace}:", result.namespaces[namespace], depth=2)


def _slice(text: Description, name: str, values: list[str] | None, depth: int) -> None:
    if not values:
        text.line(name, *([""] * depth), "<none>", depth=depth)
    for number, value in enumerate(values or ()):
        text.line("" if number else name, value, depth=depth)


def _problem(text: Description, loaded: Loaded) -> None:
    """Say in the place of warnings and errors why they are not known."""
    verb = "decoding" if loaded.is_unreadable else "getting"
    text.line("Warnings:", f"<error {verb} warnings: {loaded.problem}>")
    text.blank()
    text.line("Errors:", f"<error {verb} errors: {loaded.problem}>")


def describe_resources(text: Description, noun: str, loaded: Loaded) -> None:
    """Add the list of all objects, or why it is not known."""
    if loaded.is_absent:
        text.line("Resource List:", f"<{noun} resource list not found>")
        return
    if loaded.problem:
        verb = "reading" if loaded.is_unreadable else "getting"
        text.line("Resource List:", f"<error {verb} {noun} resource list: {loaded.problem}>")
        return
    text.line("Resource List:")
    resources: Resources = loaded.value
    for kind in sorted(resources):
        text.line(f"{kind}:", depth=1)
        for one in resources[kind] or [""]:
            text.line(f"- {one}", depth=2)


def describe_operations(text: Description, title: str, action: str, loaded: Loaded) -> None:
    """Add the pieces of work that went on aside, or why they are not known."""
    if loaded.problem:
        verb = "reading" if loaded.is_unreadable else "getting"
        text.line(f"{title}:", f"<error {verb} operation info: {loaded.problem}>")
        return
    text.line(f"{title}:")
    for operation in loaded.value:
        _operation(text, operation, action)


def _operation(text: Description, operation: Mapping[str, Any], action: str) -> None:
    spec, status = operation.get("spec") or {}, operation.get("status") or {}
    text.line(f"Operation for {_identity(spec.get('resourceIdentifier') or {})}:", depth=1)
    plugin = spec.get(f"{action[:1].lower()}{action[1:].replace(' ', '')}") or ""
    text.line(f"{action} Plugin:", str(plugin), depth=2)
    text.line("Operation ID:", str(spec.get("operationID") or ""), depth=2)
    items = spec.get("postOperationItems") or ()
    if items:
        text.line("Items to Update:", depth=2)
    for item in items:
        text.line(_identity(item), depth=3)
    text.line("Phase:", str(status.get("phase") or ""), depth=2)
    if status.get("error"):
        text.line("Operation Error:", str(status["error"]), depth=2)
    total, done = status.get("nTotal") or 0, status.get("nCompleted") or 0
    if total or done:
        units = status.get("operationUnits") or ""
        text.line("Progress:", f"{done} of {total} complete ({units})", depth=2)
    if status.get("description"):
        text.line("Progress description:", str(status["description"]), depth=2)
    _times(text, status)


def _times(text: Description, status: Mapping[str, Any]) -> None:
    for name in ("created", "started", "updated"):
        if status.get(name):
            text.line(f"{name.capitalize()}:", time_text(str(status[name]), ""), depth=2)


def _identity(item: Mapping[str, Any]) -> str:
    group, resource = item.get("Group") or "", item.get("Resource") or ""
    kind = f"{resource}.{group}" if group else str(resource)
    return f"{kind} {item.get('Namespace') or ''}/{item.get('Name') or ''}"
