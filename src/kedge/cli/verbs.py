"""`kedge create`, `get`, `describe` and `delete`: the verb first, the same commands behind it."""

from kedge.cli.connection import connection_options
from kedge.cli.flags import FlagGroup
from kedge.cli.lazy import Entry

SCHEDULES = {"schedule": "schedules"}

create = connection_options(
    FlagGroup(
        "create",
        {
            "schedule": Entry("kedge.cli.schedule.create:create", "Create a schedule."),
            "backup": Entry("kedge.cli.backup.create:create", "Create a backup from a schedule."),
        },
        help="Create a schedule or a backup.",
    )
)
get = connection_options(
    FlagGroup(
        "get",
        {"schedules": Entry("kedge.cli.schedule.get:get", "List schedules.")},
        SCHEDULES,
        help="List objects.",
    )
)
describe = connection_options(
    FlagGroup(
        "describe",
        {
            "schedules": Entry("kedge.cli.schedule.describe:describe", "Tell all about schedules."),
        },
        SCHEDULES,
        help="Tell all about objects.",
    )
)
delete = connection_options(
    FlagGroup(
        "delete",
        {"schedule": Entry("kedge.cli.schedule.delete:delete", "Delete schedules.")},
        {"schedules": "schedule"},
        help="Delete objects.",
    )
)
