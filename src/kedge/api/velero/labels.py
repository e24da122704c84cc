"""Labels, annotations and finalizers of Velero, and names that fit into a label."""

from hashlib import sha256
from typing import Final

SCHEDULE_NAME: Final = "velero.io/schedule-name"
STORAGE_LOCATION: Final = "velero.io/storage-location"
BACKUP_NAME: Final = "velero.io/backup-name"
BACKUP_UID: Final = "velero.io/backup-uid"
RESTORE_NAME: Final = "velero.io/restore-name"
GC_FAILURE: Final = "velero.io/gc-failure"
"""On a Backup that could not be removed after its time: BSLNotFound, BSLCannotGet, BSLReadOnly."""

SOURCE_GIT_VERSION: Final = "velero.io/source-cluster-k8s-gitversion"
SOURCE_MAJOR_VERSION: Final = "velero.io/source-cluster-k8s-major-version"
SOURCE_MINOR_VERSION: Final = "velero.io/source-cluster-k8s-minor-version"
RESOURCE_TIMEOUT: Final = "velero.io/resource-timeout"

EXCLUDE_FROM_BACKUP: Final = "velero.io/exclude-from-backup"
MUST_INCLUDE: Final = "backup.velero.io/must-include-additional-items"
BACKUP_VOLUMES: Final = "backup.velero.io/backup-volumes"
VOLUME_GROUP: Final = "velero.io/volume-group"

RESTORE_STATUS: Final = "velero.io/restore-status"
PLUGIN_CONFIG: Final = "velero.io/plugin-config"
CHANGE_STORAGE_CLASS: Final = "velero.io/change-storage-class"
CHANGE_IMAGE_NAME: Final = "velero.io/change-image-name"

PRE_BACKUP_HOOK: Final = "pre.hook.backup.velero.io/"
"""Before command, container, on-error or timeout; on a pod."""
POST_BACKUP_HOOK: Final = "post.hook.backup.velero.io/"
BACKUP_HOOK: Final = "hook.backup.velero.io/"
"""The older form of PRE_BACKUP_HOOK."""
POST_RESTORE_HOOK: Final = "post.hook.restore.velero.io/"
"""Before command, container, on-error, exec-timeout, wait-timeout or wait-for-ready; on a pod."""
INIT_RESTORE_HOOK: Final = "init.hook.restore.velero.io/"
"""Before container-image, container-name, command or timeout; on a pod."""

RESTORE_FINALIZER: Final = "restores.velero.io/external-resources-finalizer"

COMPONENT: Final = "component"
COMPONENT_VELERO: Final = "velero"
"""The value of COMPONENT on all that an installation consists of."""

LABEL_LIMIT: Final = 63
_DIGEST: Final = 6


def valid_name(name: str) -> str:
    """Shorten a name so that it fits into a label, as Velero does; a short one stays as it is.

    >>> valid_name("nightly")
    'nightly'
    """
    data = name.encode("utf-8", "surrogatepass")
    if len(data) <= LABEL_LIMIT:
        return name
    kept = data[: LABEL_LIMIT - _DIGEST].decode("utf-8", "ignore")
    return kept + sha256(data).hexdigest()[:_DIGEST]
