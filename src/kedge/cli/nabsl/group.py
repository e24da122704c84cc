"""`kedge nabsl`: the table of its commands."""

from kedge.cli.connection import context_options
from kedge.cli.flags import FlagGroup
from kedge.cli.lazy import Entry

COMMANDS = {
    "create": Entry(
        "kedge.cli.nabsl.create:create", "Bring a bucket for backups of your namespace."
    ),
    "get": Entry("kedge.cli.nabsl.get:get", "List NonAdminBackupStorageLocations."),
    "describe": Entry(
        "kedge.cli.nabsl.describe:describe", "Tell all about NonAdminBackupStorageLocations."
    ),
    "delete": Entry("kedge.cli.nabsl.delete:delete", "Delete NonAdminBackupStorageLocations."),
    "approve": Entry("kedge.cli.nabsl.decision:approve", "Let a bucket of somebody's be used."),
    "reject": Entry(
        "kedge.cli.nabsl.decision:reject", "Do not let a bucket of somebody's be used."
    ),
}

nabsl = context_options(
    FlagGroup(
        "nabsl",
        COMMANDS,
        short_help="Bring a bucket for backups of your namespace.",
        help="""Bring a bucket for backups of your namespace.

        A NonAdminBackupStorageLocation is a bucket of your own, with a Secret of your namespace.
        """,
    )
)
