"""Backups: what to save and how; what became of it."""

from enum import StrEnum
from typing import Annotated, Final

from kedge.api.definition import AGE, EVERYTHING, MAIN, Column, Definition
from kedge.api.part import Doc, Part, Typed, choice, duration, time
from kedge.api.velero.group import GROUP, VERSION
from kedge.api.velero.hook import HookScope, HookStatus, OnError
from kedge.api.velero.reference import LocalReference
from kedge.api.velero.selector import LabelSelector
from kedge.kube.kind import Kind


class BackupPhase(StrEnum):
    """Where a Backup is in its life; an empty phase is as good as NEW."""

    NEW = "New"
    QUEUED = "Queued"
    READY_TO_START = "ReadyToStart"
    FAILED_VALIDATION = "FailedValidation"
    IN_PROGRESS = "InProgress"
    WAITING = "WaitingForPluginOperations"
    WAITING_PARTIALLY_FAILED = "WaitingForPluginOperationsPartiallyFailed"
    FINALIZING = "Finalizing"
    FINALIZING_PARTIALLY_FAILED = "FinalizingPartiallyFailed"
    COMPLETED = "Completed"
    PARTIALLY_FAILED = "PartiallyFailed"
    FAILED = "Failed"
    DELETING = "Deleting"


# A deletion that failed leaves its Backup in Deleting for good: the run is over there, too.
TERMINAL: Final = frozenset(
    {
        BackupPhase.FAILED_VALIDATION,
        BackupPhase.COMPLETED,
        BackupPhase.PARTIALLY_FAILED,
        BackupPhase.FAILED,
        BackupPhase.DELETING,
    }
)


def is_terminal(phase: str) -> bool:
    """Tell whether the run of a Backup is over; in a phase that nobody knows it is not."""
    return phase in TERMINAL


class ExecHook(Part, frozen=True):
    """A command that runs in a container of a pod."""

    container: Annotated[
        str, Doc("The container to run the command in; the pod's first if not set.")
    ] = ""
    command: Annotated[
        list[str] | None, Doc("The command and its arguments.", required=True, least=1)
    ] = None
    on_error: Annotated[
        str, choice("What happens to the backup of the pod when the command fails.", OnError)
    ] = ""
    timeout: Annotated[str, duration("How long the command may take.")] = ""


class BackupHook(Part, frozen=True):
    """One hook."""

    exec: Annotated[
        ExecHook | None, Doc("A command that runs in a container of the pod.", required=True)
    ] = None


class BackupHookGroup(HookScope, frozen=True):
    """Hooks for the pods that are selected."""

    pre: Annotated[list[BackupHook] | None, Doc("Hooks that run before the pod is saved.")] = None
    post: Annotated[
        list[BackupHook] | None,
        Doc("Hooks that run after the pod, and all that belongs to it, is saved."),
    ] = None


class BackupHooks(Part, frozen=True):
    """All hooks of a backup."""

    resources: Annotated[
        list[BackupHookGroup] | None, Doc("Groups of hooks, each with the pods it is for.")
    ] = None


class TemplateMetadata(Part, frozen=True):
    """Metadata for the Backups of a Schedule."""

    labels: Annotated[
        dict[str, str] | None,
        Doc("Labels for the Backups of a Schedule, in place of the Schedule's own."),
    ] = None


class UploaderConfig(Part, frozen=True):
    """How volume data is sent."""

    parallel_files_upload: Annotated[
        int, Doc("How many files are sent at the same time; 0 leaves it to the uploader.")
    ] = 0


class BackupSpec(Part, frozen=True):
    """What to save, where, and for how long."""

    metadata: Annotated[
        TemplateMetadata | None, Doc("Metadata for Backups that are made from a Schedule.")
    ] = None
    included_namespaces: Annotated[
        list[str] | None,
        Doc("Namespaces to save, with wildcards; none, or an asterisk, means all."),
    ] = None
    excluded_namespaces: Annotated[
        list[str] | None, Doc("Namespaces to leave out, with wildcards.")
    ] = None
    included_resources: Annotated[
        list[str] | None,
        Doc("Resources to save, such as configmaps or deployments.apps; none means all."),
    ] = None
    excluded_resources: Annotated[list[str] | None, Doc("Resources to leave out.")] = None
    include_cluster_resources: Annotated[
        bool | None,
        Doc(
            "Whether objects outside of namespaces are saved: true all, false none; not set, "
            "those that belong to what is saved."
        ),
    ] = None
    included_cluster_scoped_resources: Annotated[
        list[str] | None,
        Doc("Resources outside of namespaces to save; not with includedResources."),
    ] = None
    excluded_cluster_scoped_resources: Annotated[
        list[str] | None,
        Doc("Resources outside of namespaces to leave out; not with excludedResources."),
    ] = None
    included_namespace_scoped_resources: Annotated[
        list[str] | None,
        Doc("Resources inside of namespaces to save; not with includedResources."),
    ] = None
    excluded_namespace_scoped_resources: Annotated[
        list[str] | None,
        Doc("Resources inside of namespaces to leave out; not with excludedResources."),
    ] = None
    label_selector: Annotated[
        LabelSelector | None, Doc("Labels of the objects to save; not set means all.", atomic=True)
    ] = None
    or_label_selectors: Annotated[
        list[LabelSelector] | None,
        Doc(
            "Selectors of which an object needs to match one; not with labelSelector.", atomic=True
        ),
    ] = None
    snapshot_volumes: Annotated[
        bool | None, Doc("Whether the data of persistent volumes is saved by snapshots.")
    ] = None
    ttl: Annotated[
        str,
        duration("How long the backup is kept, such as 720h; not set, or 0, as the server says."),
    ] = ""
    volume_group_snapshot_label_key: Annotated[
        str, Doc("The label by which volumes are grouped to be saved at the same instant.")
    ] = ""
    hooks: Annotated[
        BackupHooks | None, Doc("Commands that run in pods before and after they are saved.")
    ] = None
    storage_location: Annotated[
        str,
        Doc("The BackupStorageLocation to save to; not set, the one that is the default."),
    ] = ""
    volume_snapshot_locations: Annotated[
        list[str] | None, Doc("VolumeSnapshotLocations to use, at most one for each provider.")
    ] = None
    default_volumes_to_restic: Annotated[
        bool | None, Doc("An older name of defaultVolumesToFsBackup.")
    ] = None
    default_volumes_to_fs_backup: Annotated[
        bool | None,
        Doc("Whether the files of all volumes are saved, not only of those pods that ask for it."),
    ] = None
    ordered_resources: Annotated[
        dict[str, str] | None,
        Doc("For a resource, objects to save first, in this order: namespace/name,namespace/name."),
    ] = None
    csi_snapshot_timeout: Annotated[
        str, duration("How long to wait for a CSI snapshot; not set, or 0, means ten minutes.")
    ] = ""
    item_operation_timeout: Annotated[
        str, duration("How long work that goes on aside may take; not set, or 0, four hours.")
    ] = ""
    resource_policy: Annotated[
        LocalReference | None,
        Doc("A ConfigMap with rules on which objects and volumes are saved.", atomic=True),
    ] = None
    snapshot_move_data: Annotated[
        bool | None, Doc("Whether the data of snapshots is copied to the storage location.")
    ] = None
    datamover: Annotated[str, Doc("Who copies the data of snapshots; not set means velero.")] = ""
    uploader_config: Annotated[UploaderConfig | None, Doc("How volume data is sent.")] = None


class BackupProgress(Part, frozen=True):
    """How far a backup has come."""

    total_items: Annotated[
        int, Doc("How many objects there are to save, as far as is known by now.")
    ] = 0
    items_backed_up: Annotated[int, Doc("How many objects are saved.")] = 0


class BackupStatus(Part, frozen=True):
    """What became of a backup."""

    version: Annotated[int, Doc("The major version of the format; see formatVersion.")] = 0
    format_version: Annotated[str, Doc("The version of the format of the archive.")] = ""
    expiration: Annotated[str | None, time("When the backup may be removed.")] = None
    phase: Annotated[str, choice("Where the backup is in its life.", BackupPhase)] = ""
    queue_position: Annotated[
        int, Doc("The place in the queue, 1 being the next to start; 0 when not queued.")
    ] = 0
    validation_errors: Annotated[
        list[str] | None, Doc("What is wrong with the spec, if it was refused.")
    ] = None
    start_timestamp: Annotated[str | None, time("When the backup was started.")] = None
    completion_timestamp: Annotated[
        str | None, time("When the backup came to its end, be it good or bad.")
    ] = None
    volume_snapshots_attempted: Annotated[
        int, Doc("How many volumes were to be saved by a snapshot.")
    ] = 0
    volume_snapshots_completed: Annotated[int, Doc("How many of these snapshots were made.")] = 0
    failure_reason: Annotated[str, Doc("Why the backup failed as a whole.")] = ""
    warnings: Annotated[int, Doc("How many warnings there were; the log has their texts.")] = 0
    errors: Annotated[int, Doc("How many errors there were; the log has their texts.")] = 0
    progress: Annotated[BackupProgress | None, Doc("How far the backup has come.")] = None
    csi_volume_snapshots_attempted: Annotated[
        int, Doc("How many volumes were to be saved by a CSI snapshot.")
    ] = 0
    csi_volume_snapshots_completed: Annotated[
        int, Doc("How many of these CSI snapshots were made.")
    ] = 0
    backup_item_operations_attempted: Annotated[
        int, Doc("How many pieces of work were given to go on aside.")
    ] = 0
    backup_item_operations_completed: Annotated[
        int, Doc("How many of these pieces of work are done.")
    ] = 0
    backup_item_operations_failed: Annotated[
        int, Doc("How many of these pieces of work failed.")
    ] = 0
    hook_status: Annotated[HookStatus | None, Doc("How the hooks went.")] = None


class Backup(Typed, frozen=True):
    """A backup that is to be made, is being made, or was made."""

    spec: Annotated[BackupSpec, Doc("What to save, where, and for how long.")] = BackupSpec()
    status: Annotated[BackupStatus, Doc("What became of the backup.")] = BackupStatus()


BACKUP: Final[Kind[Backup]] = Kind(GROUP, VERSION, "Backup", "backups", Backup)

DEFINITION: Final = Definition(
    BACKUP,
    "A backup of objects of the cluster, kept in a storage location until it expires.",
    columns=(
        Column("Status", ".status.phase", "Where the backup is in its life."),
        Column("Errors", ".status.errors", "How many errors there were.", "integer"),
        Column("Warnings", ".status.warnings", "How many warnings there were.", "integer"),
        Column("Started", ".status.startTimestamp", "How long ago it was started.", "date"),
        Column("Expires", ".status.expiration", "When it may be removed."),
        Column("Queue", ".status.queuePosition", "Its place in the queue.", "integer"),
        AGE,
        Column(
            "Schedule",
            r".metadata.labels.velero\.io/schedule-name",
            "The Schedule it was made by.",
            wide=True,
        ),
        Column("Location", ".spec.storageLocation", "Where it is kept.", wide=True),
        Column(
            "Items", ".status.progress.itemsBackedUp", "How many objects it has.", "integer", True
        ),
        Column("Reason", ".status.failureReason", "Why it failed.", wide=True),
    ),
    short_names=("bkp",),
    categories=(MAIN, EVERYTHING),
)
