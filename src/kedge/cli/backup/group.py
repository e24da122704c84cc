"""`kedge backup`: the table of its commands."""

from kedge.cli.connection import connection_options
from kedge.cli.flags import FlagGroup
from kedge.cli.lazy import Entry

COMMANDS = {
    "create": Entry("kedge.cli.backup.create:create", "Create a backup from a schedule."),
}

backup = connection_options(FlagGroup("backup", COMMANDS, help="Work with backups."))
