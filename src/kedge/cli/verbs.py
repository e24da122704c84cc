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
OTHERS = {
    **dict.fromkeys(("prescaledcronjob", "prescaledcronjobs", "pscj"), "prescaled"),
    **dict.fromkeys(("nonadminbackup", "nonadminbackups"), "nab"),
    **dict.fromkeys(("nonadminrestore", "nonadminrestores"), "nar"),
    **dict.fromkeys(("nonadminbackupstoragelocation", "nonadminbackupstoragelocations"), "nabsl"),
}
"""Names of the kinds that are not Velero's, and the commands for them."""

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
            "nab": Entry("kedge.cli.nab.create:create", "Back up your own namespace."),
            "nar": Entry(
                "kedge.cli.nar.create:create", "Restore your own namespace from a backup of it."
            ),
            "nabsl": Entry(
                "kedge.cli.nabsl.create:create", "Bring a bucket for backups of your namespace."
            ),
        },
        OTHERS,
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
            "nab": Entry("kedge.cli.nab.get:get", "List NonAdminBackups."),
            "nar": Entry("kedge.cli.nar.get:get", "List NonAdminRestores."),
            "nabsl": Entry("kedge.cli.nabsl.get:get", "List NonAdminBackupStorageLocations."),
        },
        PLURALS | OTHERS,
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
            "nab": Entry("kedge.cli.nab.describe:describe", "Tell all about NonAdminBackups."),
            "nar": Entry("kedge.cli.nar.describe:describe", "Tell all about NonAdminRestores."),
            "nabsl": Entry(
                "kedge.cli.nabsl.describe:describe",
                "Tell all about NonAdminBackupStorageLocations.",
            ),
        },
        PLURALS | OTHERS,
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
            "nab": Entry(
                "kedge.cli.nab.delete:delete", "Delete backups of your namespace with their data."
            ),
            "nar": Entry("kedge.cli.nar.delete:delete", "Delete NonAdminRestores."),
            "nabsl": Entry(
                "kedge.cli.nabsl.delete:delete", "Delete NonAdminBackupStorageLocations."
            ),
        },
        SINGULARS | OTHERS,
        help="Delete objects.",
    )
)
