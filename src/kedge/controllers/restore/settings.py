"""How restores behave where they do not say it themselves."""

from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from kedge.engine.restore.order import Priorities
from kedge.selfservice.patience import MOST


@dataclass(frozen=True, slots=True)
class RestoreSettings:
    """What a server gives to each restore."""

    namespace: str | None = None
    """Where Restores are looked for; None: in all namespaces."""
    concurrent_restores: int = 1
    """Restores that run at the same time."""
    concurrency: int = 20
    """Objects of one kind that one restore has on their way at the same time."""
    priorities: Priorities = field(default_factory=Priorities)
    """Which kinds come first, and which last."""
    item_operation_timeout: timedelta = timedelta(hours=4)
    resource_timeout: timedelta = timedelta(minutes=10)
    """So long a restore waits for a kind to be served, and tries to tell what became of it."""
    terminating_timeout: timedelta = timedelta(minutes=10)
    """So long a restore waits for a namespace that is being deleted."""
    tenants_timeout: timedelta = MOST
    """So long one may take that was made for people, whose hooks and bucket it is: others wait."""
    store_seconds: float = 15.0
    """A store that did not answer is asked again after this time."""
    scratch: Path | None = None
    """The folder for the archive while it is restored; None: the system's."""
