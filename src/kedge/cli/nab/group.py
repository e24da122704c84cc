"""`kedge nab`: the table of its commands."""

from kedge.cli.connection import context_options
from kedge.cli.flags import FlagGroup
from kedge.cli.lazy import Entry

COMMANDS = {
    "create": Entry("kedge.cli.nab.create:create", "Back up your own namespace."),
    "get": Entry("kedge.cli.nab.get:get", "List NonAdminBackups."),
    "describe": Entry("kedge.cli.nab.describe:describe", "Tell all about NonAdminBackups."),
    "policy": Entry(
        "kedge.cli.nab.policy:policy", "Print the rules for backups of your namespace."
    ),
    "logs": Entry("kedge.cli.nab.logs:logs", "Print the log of a backup of your namespace."),
    "delete": Entry(
        "kedge.cli.nab.delete:delete", "Delete backups of your namespace with their data."
    ),
}

nab = context_options(
    FlagGroup(
        "nab",
        COMMANDS,
        short_help="Back up your own namespace.",
        help="""Back up your own namespace.

        A NonAdminBackup saves the namespace that it is in, and needs no rights on the cluster.
        """,
    )
)
