"""What an operator is told: the settings of its parts, put together."""

from dataclasses import dataclass, field
from typing import Final

from kedge.client.settings import ClientSettings
from kedge.controllers.schedule.controller import ScheduleSettings
from kedge.runtime.leadersettings import LeaderSettings
from kedge.runtime.manager import ManagerSettings
from kedge.runtime.serving import ServingSettings

NAMESPACE: Final = "velero"
"""Where Velero's objects live, unless told otherwise."""
LEASE: Final = "kedge"
CONTROLLERS: Final = ("schedule",)
"""The names of all controllers, as `--disable-controllers` takes them."""


@dataclass(frozen=True, slots=True)
class OperatorSettings:
    """How all controllers run."""

    namespace: str = NAMESPACE
    disabled: frozenset[str] = frozenset()
    """Controllers that do not run."""
    client: ClientSettings = field(default_factory=ClientSettings)
    leader: LeaderSettings | None = None
    """None: this process is alone, and leads at once."""
    serving: ServingSettings = field(default_factory=lambda: ServingSettings(port=None))
    manager: ManagerSettings = field(default_factory=ManagerSettings)
    schedules: ScheduleSettings = field(default_factory=ScheduleSettings)
