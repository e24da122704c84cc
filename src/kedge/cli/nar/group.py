"""`kedge nar`: the table of its commands."""

from kedge.cli.connection import context_options
from kedge.cli.flags import FlagGroup
from kedge.cli.lazy import Entry

COMMANDS = {
    "create": Entry(
        "kedge.cli.nar.create:create", "Restore your own namespace from a backup of it."
    ),
    "get": Entry("kedge.cli.nar.get:get", "List NonAdminRestores."),
    "describe": Entry("kedge.cli.nar.describe:describe", "Tell all about NonAdminRestores."),
    "logs": Entry("kedge.cli.nar.logs:logs", "Print the log of a restore of your namespace."),
    "delete": Entry("kedge.cli.nar.delete:delete", "Delete NonAdminRestores."),
}

nar = context_options(
    FlagGroup(
        "nar",
        COMMANDS,
        short_help="Restore your own namespace.",
        help="""Restore your own namespace.

        A NonAdminRestore brings objects of a NonAdminBackup back into the namespace of both.
        """,
    )
)
