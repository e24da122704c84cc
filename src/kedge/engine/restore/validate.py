"""What is wrong with the spec of a Restore before any cluster is asked, in Velero's words."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from kedge.api.velero.restore import ExistingPolicy, RestoreSpec
from kedge.engine.backup.validate import lists
from kedge.kube.gotext import quote
from kedge.kube.requirements import SelectorError

TWO_SELECTORS: Final = (
    "encountered labelSelector as well as orLabelSelectors in restore spec, "
    "only one can be specified"
)
ONE_SOURCE: Final = (
    "Either a backup or schedule must be specified as a source for the restore, but not both"
)

NON_RESTORABLE: Final = (
    "nodes",
    "events",
    "events.events.k8s.io",
    "backups.velero.io",
    "restores.velero.io",
    "resticrepositories.velero.io",
    "csinodes.storage.k8s.io",
    "volumeattachments.storage.k8s.io",
    "backuprepositories.velero.io",
)
"""Resources that never come back."""


INIT_PROBLEM: Final = (
    "invalid InitContainer in restore hook, it doesn't have Command, Name or Image field"
)

NO_POLICY: Final = (
    "spec.resourcePolicy of a Restore can not be followed yet, and more would come back than it "
    "lets through; use the other filters of the spec"
)


def complete(spec: RestoreSpec) -> RestoreSpec:
    """Exclude what never comes back, unless it is excluded already."""
    excluded = list(spec.excluded_resources or ())
    missing = [each for each in NON_RESTORABLE if each not in excluded]
    return msgspec.structs.replace(spec, excluded_resources=excluded + missing)


def problems(spec: RestoreSpec) -> list[str]:
    """Say what is wrong with a spec that is complete, in order: checks 1 to 6."""
    found = _filters(spec)
    if bool(spec.backup_name) == bool(spec.schedule_name):
        return [*found, ONE_SOURCE]
    found += _hooks(spec)
    policy = spec.existing_resource_policy
    if policy and policy not in tuple(ExistingPolicy):
        found.append(f"Invalid ExistingResourcePolicy: {policy}")
    return found


def unfollowed(spec: Mapping[str, Any]) -> list[str]:
    """Say what a spec, as it was sent, asks for that Velero has and we have not."""
    return [NO_POLICY] if spec.get("resourcePolicy") else []


def _filters(spec: RestoreSpec) -> list[str]:
    included = spec.included_resources or ()
    found = [f"{each} are non-restorable resources" for each in NON_RESTORABLE if each in included]
    resources = lists(spec.included_resources, spec.excluded_resources)
    found += [f"Invalid included/excluded resource lists: {each}" for each in resources]
    namespaces = lists(spec.included_namespaces, spec.excluded_namespaces)
    found += [f"Invalid included/excluded namespace lists: {each}" for each in namespaces]
    if spec.or_label_selectors is not None and spec.label_selector is not None:
        found.append(TWO_SELECTORS)
    return found


def _hooks(spec: RestoreSpec) -> list[str]:
    found = []
    for group in (spec.hooks and spec.hooks.resources) or ():
        if group.label_selector is not None:
            try:
                _ = group.label_selector.selector
            except SelectorError as exc:
                found.append(f"invalid restore hooks: {exc}")
        told = f"invalid init container in restore hook {quote(group.name)}: {INIT_PROBLEM}"
        for hook in group.post_hooks or ():
            containers = (hook.init and hook.init.init_containers) or ()
            found += [told for each in containers if not is_whole(each)]
    return found


def is_whole(container: Mapping[str, object]) -> bool:
    """Tell whether a container of an init hook has all that it needs."""
    return all(container.get(field) for field in ("command", "name", "image"))
