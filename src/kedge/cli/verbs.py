"""`kedge create`, `get`, `describe` and `delete`: the verb first, the same commands behind it."""

from kedge.cli.connection import connection_options
from kedge.cli.flags import FlagGroup
from kedge.cli.lazy import Entry

PLURALS = {
    "schedule": "schedules",
    "backup": "backups",
    "restore": "restores",
    "backup-location": "backup-locations",
}
SINGULARS = {plural: singular for singular, plural in PLURALS.items()}
PRESCALED = dict.fromkeys(("prescaledcronjob", "prescaledcronjobs", "pscj"), "prescaled")

create = connection_options(
    FlagGroup(
        "create",
        {
            "schedule": Entry("kedge.cli.schedule.create:create", "Create a schedule."),
            "backup": Entry("kedge.cli.backup.create:create", "Create a backup."),
            "restore": Entry(
                "kedge.cli.restore.create:create", "Restore from a backup, or preview it."
            ),
            "backup-location": Entry(
                "kedge.cli.location.create:create", "Create a storage location."
            ),
            "prescaled": Entry("kedge.cli.prescaled.create:create", "Create a PreScaledCronJob."),
        },
        PRESCALED,
        help="Create objects.",
    )
)
get = connection_options(
    FlagGroup(
        "get",
        {
            "schedules": Entry("kedge.cli.schedule.get:get", "List schedules."),
            "backups": Entry("kedge.cli.backup.get:get", "List backups."),
            "restores": Entry("kedge.cli.restore.get:get", "List restores."),
            "backup-locations": Entry("kedge.cli.location.get:get", "List storage locations."),
            "prescaled": Entry("kedge.cli.prescaled.get:get", "List PreScaledCronJobs."),
        },
        PLURALS | PRESCALED,
        help="List objects.",
    )
)
describe = connection_options(
    FlagGroup(
        "describe",
        {
            "schedules": Entry("kedge.cli.schedule.describe:describe", "Tell all about schedules."),
            "backups": Entry("kedge.cli.backup.describe:describe", "Tell all about backups."),
            "restores": Entry("kedge.cli.restore.describe:describe", "Tell all about restores."),
            "prescaled": Entry(
                "kedge.cli.prescaled.describe:describe", "Tell all about PreScaledCronJobs."
            ),
        },
        PLURALS | PRESCALED,
        help="Tell all about objects.",
    )
)
delete = connection_options(
    FlagGroup(
        "delete",
        {
            "schedule": Entry("kedge.cli.schedule.delete:delete", "Delete schedules."),
            "backup": Entry("kedge.cli.backup.delete:delete", "Delete backups with their data."),
            "restore": Entry("kedge.cli.restore.delete:delete", "Delete restores."),
            "backup-location": Entry(
                "kedge.cli.location.delete:delete", "Delete storage locations."
            ),
            "prescaled": Entry("kedge.cli.prescaled.delete:delete", "Delete PreScaledCronJobs."),
        },
        SINGULARS | PRESCALED,
        help="Delete objects.",
    )
)
