"""What the server can do, under the names that Velero's plugins for it have."""

from typing import Final

from kedge.api.velero.server_status import Plugin

OBJECT_STORES: Final = ("kedge.dev/filesystem", "velero.io/aws", "velero.io/azure", "velero.io/gcp")
BACKUP_ACTIONS: Final = (
    "velero.io/pod",
    "velero.io/pv",
    "velero.io/service-account",
)
RESTORE_ACTIONS: Final = (
    "velero.io/add-pvc-from-pod",
    "velero.io/admission-webhook-configuration",
    "velero.io/apiservice",
    "velero.io/change-image-name",
    "velero.io/change-storage-class",
    "velero.io/cluster-role-bindings",
    "velero.io/crd-preserve-fields",
    "velero.io/init-restore-hook",
    "velero.io/job",
    "velero.io/pod",
    "velero.io/pvc",
    "velero.io/role-bindings",
    "velero.io/secret",
    "velero.io/service",
    "velero.io/service-account",
)


def built_in() -> tuple[Plugin, ...]:
    """List all that is built in, in the order in which Velero's CLI shows it."""
    kinds = {
        "BackupItemAction": BACKUP_ACTIONS,
        "ObjectStore": OBJECT_STORES,
        "RestoreItemAction": RESTORE_ACTIONS,
    }
    return tuple(Plugin(name, kind) for kind, names in kinds.items() for name in names)
