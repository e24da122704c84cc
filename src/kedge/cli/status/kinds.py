"""The kinds that a report is about."""

from typing import Final

from kedge.api.nonadmin.location_request import NON_ADMIN_LOCATION_REQUEST
from kedge.api.velero.delete_request import DELETE_BACKUP_REQUEST
from kedge.cli.backup.kind import BACKUPS
from kedge.cli.install.kinds import DEPLOYMENT as DEPLOYMENTS
from kedge.cli.location.kind import LOCATIONS
from kedge.cli.nab.kind import NABS
from kedge.cli.nabsl.kind import OWN_LOCATIONS as NABSLS
from kedge.cli.nar.kind import NARS
from kedge.cli.prescaled.kind import PRESCALED
from kedge.cli.restore.kind import RESTORES
from kedge.cli.schedule.kind import SCHEDULES
from kedge.kube.kind import plain

DELETIONS: Final = DELETE_BACKUP_REQUEST.into(dict)
APPROVALS: Final = NON_ADMIN_LOCATION_REQUEST.into(dict)
EVENTS: Final = plain("v1", "Event", "events")

AT_HOME: Final = (SCHEDULES, BACKUPS, RESTORES, LOCATIONS, DELETIONS, APPROVALS)
"""In the namespace of the server."""
EVERYWHERE: Final = (NABS, NARS, NABSLS, PRESCALED)
"""In the namespaces of those who use it."""
MISSED: Final = "MissedRuns"
"""The reason of the Events about runs that did not take place."""

__all__ = [
    "APPROVALS",
    "AT_HOME",
    "BACKUPS",
    "DELETIONS",
    "DEPLOYMENTS",
    "EVENTS",
    "EVERYWHERE",
    "LOCATIONS",
    "MISSED",
    "NABS",
    "NABSLS",
    "NARS",
    "PRESCALED",
    "RESTORES",
    "SCHEDULES",
]
