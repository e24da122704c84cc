"""What one restore is told, and what came of it."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from kedge.api.velero.restore import RestoreSpec
from kedge.engine.restore.modifiers import Modifiers
from kedge.engine.restore.order import DEFAULT, Priorities

TIMEOUT: Final = timedelta(minutes=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreRun:
    """What one restore is told."""

    name: str
    namespace: str
    """Where the Restore is, and with it the ConfigMaps of plugins."""
    backup_name: str
    spec: RestoreSpec
    uid: str = ""
    priorities: Priorities = DEFAULT
    resource_timeout: timedelta = TIMEOUT
    """How long to wait for a CustomResourceDefinition, or for a server that does not answer."""
    terminating_timeout: timedelta = TIMEOUT
    """How long to wait for a namespace that is about to disappear."""
    modifiers: Modifiers | None = None
    runs_hooks: bool = True
    """Whether commands run in pods, be they of the spec or of the pods' own annotations."""
    makes_namespaces: bool = True
    """Whether namespaces that are not there are made, as the backup has them."""
    concurrency: int = 20
    """Objects of one kind that are on their way at the same time."""


@dataclass(frozen=True, slots=True)
class RestoreOutcome:
    """What came of a restore; warnings and errors are in the journal."""

    items: int = 0
    resource_list: dict[str, list[str]] = field(default_factory=dict)
    """For `v1/Pod`, say: `ns/name(created)`, sorted; updated, failed or skipped else."""
    hooks_attempted: int = 0
    hooks_failed: int = 0
