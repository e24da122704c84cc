"""Options that people without cluster rights have, and the reasons for those that they have not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Final

from kedge.cli.backup.filters import filter_options
from kedge.cli.restore.options import choice_options

OWN: Final = "it is always the namespace of the object, and no other"
CLUSTER: Final = "only what is in the namespace can be saved and brought back"
DRY_RUN: Final = "-o yaml prints it, and sends nothing"
UNASKED: Final = (
    "nothing is asked; without --storage-location it is kept in the administrator's location"
)
REFUSED_FILTERS: Final = {
    "--dry-run": DRY_RUN,
    "--force": UNASKED,
    "--assume-yes": UNASKED,
    "--include-namespaces": OWN,
    "--exclude-namespaces": OWN,
    "--include-cluster-resources": CLUSTER,
    "--include-cluster-scoped-resources": CLUSTER,
    "--volume-snapshot-locations": "the administrator says where volume snapshots are kept",
    "--from-schedule": "schedules are the administrator's",
}
REFUSED_CHOICES: Final = {
    "--dry-run": DRY_RUN,
    "--include-namespaces": OWN,
    "--exclude-namespaces": OWN,
    "--namespace-mappings": "what was in the namespace comes back into it, and nowhere else",
    "--include-cluster-resources": CLUSTER,
    "--from-schedule": "schedules are the administrator's; use --from-backup",
    "--allow-partially-failed": "it is for --from-schedule; use --from-backup",
}
_NO_FILTERS: Final[Mapping[str, Any]] = {
    "include_namespaces": [],
    "exclude_namespaces": [],
    "include_cluster_resources": None,
    "include_cluster_scoped_resources": [],
    "volume_snapshot_locations": [],
}
_NO_CHOICES: Final[Mapping[str, Any]] = {
    "include_namespaces": [],
    "exclude_namespaces": [],
    "namespace_mappings": {},
    "include_cluster_resources": None,
}


def without(add: Callable[[Any], Any], taken: Mapping[str, Any]) -> Callable[[Any], Any]:
    """Take options away from what adds many; each has the value that is given for it instead."""

    def added(callback: Any) -> Any:
        whole = add(callback)

        @wraps(whole)
        def parsed(**given: Any) -> None:
            whole(**taken, **given)

        kept = [one for one in whole.__click_params__ if one.name not in taken]
        parsed.__click_params__ = kept  # type: ignore[attr-defined]
        return parsed

    return added


own_filter_options = without(filter_options, _NO_FILTERS)
"""Adds what may be said about a backup, and hands it over as `Filters`."""
own_choice_options = without(choice_options, _NO_CHOICES)
"""Adds what may be said about a restore, and hands it over as a `Choice`."""
