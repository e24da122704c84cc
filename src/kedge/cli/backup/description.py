"""A backup in words, laid out as Velero does it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kedge.cli.backup.spec import describe_policy, describe_spec
from kedge.cli.backup.volumes import describe_volumes
from kedge.cli.description import Description
from kedge.cli.findings import (
    describe_operations,
    describe_resources,
    describe_results,
)
from kedge.cli.objects import part, time_text
from kedge.cli.program import as_called

if TYPE_CHECKING:
    from kedge.cli.backup.gathering import Gathered
    from kedge.kube.kind import Object

UNKNOWN: Final = "<n/a>"
COLOURS: Final = {
    "Completed": "green",
    "FailedValidation": "red",
    "PartiallyFailed": "red",
    "Failed": "red",
}
LOGGED: Final = frozenset({"Failed", "PartiallyFailed"})


def description(found: Gathered) -> str:
    """Describe one Backup."""
    backup = found.backup
    text = Description()
    text.metadata(found.plain)
    text.blank()
    phase = backup.status.phase or "New"
    name = backup.metadata.name
    note = f" (run `kedge backup logs {name}` for more information)" if phase in LOGGED else ""
    text.state("Phase:", phase, COLOURS, as_called(note))
    if phase == "Queued":
        text.line("Queue position:", str(backup.status.queue_position))
    describe_policy(text, backup.spec)
    text.errors("Validation errors:", backup.status.validation_errors)
    reason = backup.status.failure_reason
    text.errors("Failure reason:", [reason] if reason else [])
    text.blank()
    _results(text, found)
    text.blank()
    describe_spec(text, backup.spec)
    text.blank()
    _status(text, found)
    if found.deletions:
        text.blank()
        _deletions(text, found.deletions)
    return str(text)


def _results(text: Description, found: Gathered) -> None:
    status = found.backup.status
    if not status.warnings and not status.errors:
        return
    if found.results.is_absent:
        text.line("Errors:", str(status.errors))
        text.line("Warnings:", str(status.warnings))
        return
    describe_results(text, status, found.results)


def _status(text: Description, found: Gathered) -> None:
    status = found.backup.status
    text.line("Backup Format Version:", status.format_version)
    text.blank()
    text.line("Started:", time_text(status.start_timestamp, UNKNOWN))
    text.line("Completed:", time_text(status.completion_timestamp, UNKNOWN))
    text.blank()
    text.line("Expiration:", time_text(status.expiration, "<nil>"))
    text.blank()
    if status.progress is not None:
        before, after = "Total items to be backed up:", "Items backed up:"
        if status.phase == "InProgress":
            before, after = "Estimated total items to be backed up:", "Items backed up so far:"
        text.line(before, str(status.progress.total_items))
        text.line(after, str(status.progress.items_backed_up))
        text.blank()
    _operations(text, found)
    if found.details:
        describe_resources(text, "backup", found.resources)
        text.blank()
    describe_volumes(text, found)
    if status.hook_status is not None:
        text.blank()
        text.line("HooksAttempted:", str(status.hook_status.hooks_attempted))
        text.line("HooksFailed:", str(status.hook_status.hooks_failed))


def _operations(text: Description, found: Gathered) -> None:
    status = found.backup.status
    attempted = status.backup_item_operations_attempted
    if not attempted:
        return
    if found.details:
        describe_operations(text, "Backup Item Operations", "Backup Item Action", found.operations)
        return
    text.line(
        "Backup Item Operations:",
        f"{status.backup_item_operations_completed} of {attempted} completed successfully, "
        f"{status.backup_item_operations_failed} failed (specify --details for more information)",
    )


def failed_deletions(deletions: list[Object]) -> int:
    """Count the requests to delete it that were answered with errors."""
    return sum(
        part(one, "status", "phase") == "Processed" and bool(part(one, "status", "errors"))
        for one in deletions
    )


def _deletions(text: Description, deletions: list[Object]) -> None:
    count = failed_deletions(deletions)
    failed = f" ({count} failed)" if count else ""
    text.line(f"Deletion Attempts{failed}:")
    for number, one in enumerate(deletions):
        if number:
            text.blank()
        made = time_text(part(one, "metadata", "creationTimestamp"), "<nil>")
        text.line(f"{made}: {part(one, 'status', 'phase') or ''}", depth=1)
        errors = part(one, "status", "errors")
        if errors:
            text.line("Errors:", depth=1)
        for error in errors or ():
            text.line(str(error), depth=2)
