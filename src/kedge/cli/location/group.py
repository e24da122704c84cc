"""`kedge backup-location`: the table of its commands."""

from kedge.cli.connection import connection_options
from kedge.cli.flags import FlagGroup
from kedge.cli.lazy import Entry

COMMANDS = {
    "create": Entry("kedge.cli.location.create:create", "Create a storage location."),
    "get": Entry("kedge.cli.location.get:get", "List storage locations."),
    "set": Entry("kedge.cli.location.set:set_", "Change a storage location."),
    "delete": Entry("kedge.cli.location.delete:delete", "Delete storage locations."),
}

location = connection_options(
    FlagGroup(
        "backup-location",
        COMMANDS,
        short_help="Work with storage locations.",
        help="""Work with storage locations.

        A storage location is a bucket, or a folder in one, in which backups are kept.
        """,
    )
)
