"""What hooks have in common, in backups and in restores."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Final

from kedge.api.part import Doc, Part
from kedge.api.velero.selector import LabelSelector

HOOKS: Final = "kedge.dev/hooks"
"""On a Backup or a Restore: which hooks run."""
NO_HOOKS: Final = "none"
"""Neither those of its spec nor those that pods name themselves."""


def runs_hooks(annotations: Mapping[str, str] | None) -> bool:
    """Tell whether hooks run in a Backup or a Restore."""
    return (annotations or {}).get(HOOKS) != NO_HOOKS


class OnError(StrEnum):
    """What happens when a hook fails."""

    CONTINUE = "Continue"
    FAIL = "Fail"


class HookStatus(Part, frozen=True):
    """How the hooks went."""

    hooks_attempted: Annotated[int, Doc("How many hooks were run, failed ones included.")] = 0
    hooks_failed: Annotated[int, Doc("How many hooks failed.")] = 0


class HookScope(Part, frozen=True):
    """The name of a group of hooks, and the objects they are for."""

    name: Annotated[str, Doc("The name of the hooks, for logs.", required=True)] = ""
    included_namespaces: Annotated[
        list[str] | None, Doc("Namespaces whose pods get the hooks; none means all.")
    ] = None
    excluded_namespaces: Annotated[
        list[str] | None, Doc("Namespaces whose pods do not get the hooks.")
    ] = None
    included_resources: Annotated[
        list[str] | None, Doc("Resources that get the hooks; only pods can run them.")
    ] = None
    excluded_resources: Annotated[list[str] | None, Doc("Resources that do not get the hooks.")] = (
        None
    )
    label_selector: Annotated[
        LabelSelector | None, Doc("Labels of the objects that get the hooks.", atomic=True)
    ] = None
