"""Restores: what to bring back from which Backup, and what became of it."""

from enum import StrEnum
from typing import Annotated, Any, Final

import msgspec

from kedge.api.definition import AGE, EVERYTHING, MAIN, Column, Definition
from kedge.api.part import Doc, Part, Typed, choice, duration, time
from kedge.api.velero.group import GROUP, VERSION
from kedge.api.velero.hook import HookScope, HookStatus, OnError
from kedge.api.velero.reference import LocalReference
from kedge.api.velero.selector import LabelSelector
from kedge.kube.kind import Kind


class RestorePhase(StrEnum):
    """Where a Restore is in its life; an empty phase is as good as NEW."""

    NEW = "New"
    FAILED_VALIDATION = "FailedValidation"
    IN_PROGRESS = "InProgress"
    WAITING = "WaitingForPluginOperations"
    WAITING_PARTIALLY_FAILED = "WaitingForPluginOperationsPartiallyFailed"
    FINALIZING = "Finalizing"
    FINALIZING_PARTIALLY_FAILED = "FinalizingPartiallyFailed"
    COMPLETED = "Completed"
    PARTIALLY_FAILED = "PartiallyFailed"
    FAILED = "Failed"


class ExistingPolicy(StrEnum):
    """What happens to an object that is there already; the CRD takes any text."""

    NONE = "none"
    UPDATE = "update"


TERMINAL: Final = frozenset(
    {
        RestorePhase.FAILED_VALIDATION,
        RestorePhase.COMPLETED,
        RestorePhase.PARTIALLY_FAILED,
        RestorePhase.FAILED,
    }
)


def is_terminal(phase: str) -> bool:
    """Tell whether a Restore is over; in a phase that nobody knows it is not."""
    return phase in TERMINAL


class RestoreExecHook(Part, frozen=True):
    """A command that runs in a container of a pod that came back."""

    container: Annotated[
        str, Doc("The container to run the command in; the pod's first if not set.")
    ] = ""
    command: Annotated[
        list[str] | None, Doc("The command and its arguments.", required=True, least=1)
    ] = None
    on_error: Annotated[
        str, choice("What happens to the restore when the command fails.", OnError)
    ] = ""
    exec_timeout: Annotated[str, duration("How long the command may take.")] = ""
    wait_timeout: Annotated[
        str, duration("How long to wait for the container to be ready for the command.")
    ] = ""
    wait_for_ready: Annotated[
        bool | None, Doc("Whether the container must be ready, not only running.")
    ] = None


class InitHook(Part, frozen=True):
    """Containers that run before those of a pod that comes back."""

    init_containers: Annotated[
        list[dict[str, Any]] | None, Doc("The containers, as in a pod's spec.", preserve=True)
    ] = None
    timeout: Annotated[str, duration("How long the containers may take.")] = ""


class RestoreHook(Part, frozen=True):
    """One hook: either a command or containers."""

    exec: Annotated[
        RestoreExecHook | None, Doc("A command that runs in a container of the pod.")
    ] = None
    init: Annotated[InitHook | None, Doc("Containers that run before those that the pod has.")] = (
        None
    )


class RestoreHookGroup(HookScope, frozen=True):
    """Hooks for the pods that are selected."""

    post_hooks: Annotated[
        list[RestoreHook] | None, Doc("Hooks that run while the pod comes back, or after it.")
    ] = None


class RestoreHooks(Part, frozen=True):
    """All hooks of a restore."""

    resources: Annotated[
        list[RestoreHookGroup] | None, Doc("Groups of hooks, each with the pods it is for.")
    ] = None


class StatusSelection(Part, frozen=True):
    """The resources whose status comes back too."""

    included_resources: Annotated[
        list[str] | None, Doc("Resources whose status comes back; none means all.")
    ] = None
    excluded_resources: Annotated[
        list[str] | None, Doc("Resources whose status does not come back.")
    ] = None


class RestoreUploaderConfig(Part, frozen=True):
    """How volume data is fetched."""

    write_sparse_files: Annotated[
        bool | None, Doc("Whether long runs of zeros are left as holes in files.")
    ] = None
    parallel_files_download: Annotated[
        int, Doc("How many files are fetched at the same time; 0 leaves it to the uploader.")
    ] = 0


class RestoreSpec(Part, frozen=True):
    """What to bring back, from where, and how."""

    backup_name: Annotated[
        str, Doc("The Backup to restore from; either this or scheduleName is needed.")
    ] = ""
    schedule_name: Annotated[str, Doc("The Schedule whose latest good Backup to restore from.")] = (
        ""
    )
    included_namespaces: Annotated[
        list[str] | None,
        Doc("Namespaces to bring back, with wildcards; none, or an asterisk, means all."),
    ] = None
    excluded_namespaces: Annotated[
        list[str] | None, Doc("Namespaces to leave out, with wildcards.")
    ] = None
    included_resources: Annotated[
        list[str] | None, Doc("Resources to bring back; none, or an asterisk, means all.")
    ] = None
    excluded_resources: Annotated[list[str] | None, Doc("Resources to leave out.")] = None
    namespace_mapping: Annotated[
        dict[str, str] | None,
        Doc("For a namespace of the Backup, the one into which its objects go."),
    ] = None
    label_selector: Annotated[
        LabelSelector | None,
        Doc("Labels of the objects to bring back; not set means all.", atomic=True),
    ] = None
    or_label_selectors: Annotated[
        list[LabelSelector] | None,
        Doc(
            "Selectors of which an object needs to match one; not with labelSelector.", atomic=True
        ),
    ] = None
    restore_pvs: Annotated[
        bool | None, Doc("Whether the data of persistent volumes comes back from snapshots.")
    ] = msgspec.field(default=None, name="restorePVs")
    restore_status: Annotated[
        StatusSelection | None,
        Doc("Resources whose status comes back too; not set means of none."),
    ] = None
    preserve_node_ports: Annotated[
        bool | None, Doc("Whether Services get the node ports that they had.")
    ] = None
    include_cluster_resources: Annotated[
        bool | None,
        Doc(
            "Whether objects outside of namespaces come back: true all, false none; not set, "
            "those that belong to what comes back."
        ),
    ] = None
    hooks: Annotated[
        RestoreHooks | None, Doc("What runs in pods while and after they come back.")
    ] = None
    existing_resource_policy: Annotated[
        str | None,
        Doc("What happens to an object that is there already: none leaves it, update changes it."),
    ] = None
    item_operation_timeout: Annotated[
        str, duration("How long work that goes on aside may take; not set, or 0, four hours.")
    ] = ""
    resource_modifier: Annotated[
        LocalReference | None,
        Doc("A ConfigMap with rules by which objects are changed on the way.", atomic=True),
    ] = None
    uploader_config: Annotated[RestoreUploaderConfig | None, Doc("How volume data is fetched.")] = (
        None
    )


class RestoreProgress(Part, frozen=True):
    """How far a restore has come."""

    total_items: Annotated[
        int, Doc("How many objects there are to bring back, as far as is known by now.")
    ] = 0
    items_restored: Annotated[int, Doc("How many objects have been brought back.")] = 0


class RestoreStatus(Part, frozen=True):
    """What became of a restore."""

    phase: Annotated[str, choice("Where the restore is in its life.", RestorePhase)] = ""
    validation_errors: Annotated[
        list[str] | None, Doc("What is wrong with the spec, if it was refused.")
    ] = None
    warnings: Annotated[int, Doc("How many warnings there were; the log has their texts.")] = 0
    errors: Annotated[int, Doc("How many errors there were; the log has their texts.")] = 0
    failure_reason: Annotated[str, Doc("Why the restore failed as a whole.")] = ""
    start_timestamp: Annotated[str | None, time("When the restore was started.")] = None
    completion_timestamp: Annotated[
        str | None, time("When the restore came to its end, be it good or bad.")
    ] = None
    progress: Annotated[RestoreProgress | None, Doc("How far the restore has come.")] = None
    restore_item_operations_attempted: Annotated[
        int, Doc("How many pieces of work were given to go on aside.")
    ] = 0
    restore_item_operations_completed: Annotated[
        int, Doc("How many of these pieces of work are done.")
    ] = 0
    restore_item_operations_failed: Annotated[
        int, Doc("How many of these pieces of work failed.")
    ] = 0
    hook_status: Annotated[HookStatus | None, Doc("How the hooks went.")] = None


class Restore(Typed, frozen=True):
    """Brings objects of a Backup back."""

    spec: Annotated[RestoreSpec, Doc("What to bring back, from where, and how.")] = RestoreSpec()
    status: Annotated[RestoreStatus, Doc("What became of the restore.")] = RestoreStatus()


RESTORE: Final[Kind[Restore]] = Kind(GROUP, VERSION, "Restore", "restores", Restore)

DEFINITION: Final = Definition(
    RESTORE,
    "Brings objects back from a Backup.",
    columns=(
        Column("Backup", ".spec.backupName", "The Backup that it restores from."),
        Column("Status", ".status.phase", "Where the restore is in its life."),
        Column("Started", ".status.startTimestamp", "How long ago it was started.", "date"),
        Column("Completed", ".status.completionTimestamp", "How long ago it ended.", "date"),
        Column("Errors", ".status.errors", "How many errors there were.", "integer"),
        Column("Warnings", ".status.warnings", "How many warnings there were.", "integer"),
        AGE,
        Column("Schedule", ".spec.scheduleName", "The Schedule of its Backup.", wide=True),
        Column(
            "Items",
            ".status.progress.itemsRestored",
            "How many objects it brought back.",
            "integer",
            wide=True,
        ),
        Column("Reason", ".status.failureReason", "Why it failed.", wide=True),
    ),
    short_names=("rst",),
    categories=(MAIN, EVERYTHING),
)
