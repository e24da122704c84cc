"""The options that say what a restore brings back, and the spec that comes of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from kedge.cli.backup.filters import RESOURCE_FORM, or_selectors
from kedge.cli.errors import Misuse
from kedge.cli.flags import (
    duration_option,
    include_option,
    list_option,
    read_selector,
    selector_option,
    tristate,
)

if TYPE_CHECKING:
    from kedge.kube.kind import Object

POLICIES = ("none", "update")


@dataclass(frozen=True, slots=True)
class Choice:
    """The values of the options; empty or None where nothing was said."""

    include_namespaces: list[str]
    exclude_namespaces: list[str]
    namespace_mappings: dict[str, str]
    include_resources: list[str]
    exclude_resources: list[str]
    existing_resource_policy: str
    status_include_resources: list[str]
    status_exclude_resources: list[str]
    selector: str
    or_selector: list[str]
    item_operation_timeout: str
    restore_volumes: bool | None
    preserve_nodeports: bool | None
    include_cluster_resources: bool | None
    resource_modifier_configmap: str
    write_sparse_files: bool | None
    parallel_files_download: int


def _mappings(ctx: click.Context, param: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for pair in ",".join(given).split(","):
        if not pair.strip():
            continue
        source, colon, target = (one.strip() for one in pair.partition(":"))
        if not colon or not source or not target or ":" in target:
            raise click.BadParameter(f"{pair!r} is not source:target; write it as a:x,b:y")
        if found.setdefault(source, target) != target:
            both = f"{found[source]!r} and {target!r}"
            raise click.BadParameter(f"{source!r} is to become both {both}; write one of them")
    return found


_OPTIONS = (
    include_option(
        "--include-namespaces", help="Namespaces to bring back; * is all.  [default: *]"
    ),
    list_option("--exclude-namespaces", help="Namespaces to leave out."),
    click.option(
        "--namespace-mappings",
        metavar="A:B,...",
        multiple=True,
        callback=_mappings,
        help="Bring what was in namespace A back into B.",
    ),
    include_option(
        "--include-resources", help=f"Resources to bring back, {RESOURCE_FORM}; * is all."
    ),
    list_option("--exclude-resources", help=f"Resources to leave out, {RESOURCE_FORM}."),
    click.option(
        "--existing-resource-policy",
        metavar="none|update",
        default="",
        help="What happens to objects that are there already.  [default: none]",
    ),
    list_option("--status-include-resources", help="Resources whose status comes back, too."),
    list_option("--status-exclude-resources", help="Resources whose status does not, of those."),
    selector_option("-l", "--selector", help="Only objects that match this label selector."),
    click.option(
        "--or-selector",
        metavar="SELECTOR",
        callback=or_selectors,
        help="Objects that match one of these: 'a=b or c=d'.",
    ),
    duration_option("--item-operation-timeout", help="How long work that goes on aside may take."),
    tristate("--restore-volumes", help="Bring volumes back from snapshots."),
    tristate("--preserve-nodeports", help="Give Services the node ports that they had."),
    tristate("--include-cluster-resources", help="Bring back what is in no namespace."),
    click.option(
        "--resource-modifier-configmap",
        metavar="NAME",
        default="",
        help="ConfigMap with rules by which objects are changed.",
    ),
    tristate("--write-sparse-files", help="Leave long runs of zeros as holes in files."),
    click.option(
        "--parallel-files-download",
        metavar="N",
        type=int,
        default=0,
        help="How many files are fetched at the same time; 0: the node says.",
    ),
)


def choice_options(callback: Any) -> Any:
    """Add the options, and hand them over as one `Choice`."""

    @wraps(callback)
    def parsed(**given: Any) -> None:
        mine = {name: given.pop(name) for name in Choice.__annotations__}
        callback(choice=Choice(**mine), **given)

    added: Any = parsed
    for option in reversed(_OPTIONS):
        added = option(added)
    return added


def spec_of(choice: Choice) -> Object:
    """Make the spec of a Restore, but for where from; raises Misuse."""
    _check(choice)
    status = None
    if choice.status_include_resources:
        status = {"includedResources": choice.status_include_resources}
        if choice.status_exclude_resources:
            status["excludedResources"] = choice.status_exclude_resources
    wanted = {
        "includedNamespaces": choice.include_namespaces or ["*"],
        "excludedNamespaces": choice.exclude_namespaces,
        "includedResources": choice.include_resources,
        "excludedResources": choice.exclude_resources,
        "namespaceMapping": choice.namespace_mappings,
        "labelSelector": read_selector(choice.selector) if choice.selector else None,
        "orLabelSelectors": [read_selector(one) for one in choice.or_selector],
        "restorePVs": choice.restore_volumes,
        "restoreStatus": status,
        "preserveNodePorts": choice.preserve_nodeports,
        "includeClusterResources": choice.include_cluster_resources,
        "existingResourcePolicy": choice.existing_resource_policy,
        "itemOperationTimeout": choice.item_operation_timeout,
        "resourceModifier": _modifier(choice.resource_modifier_configmap),
        "uploaderConfig": _uploader(choice),
    }
    return {name: value for name, value in wanted.items() if value is False or value}


def _check(choice: Choice) -> None:
    from kedge.cli.backup.namespaces import check_namespaces

    if choice.selector and choice.or_selector:
        raise Misuse("either a 'selector' or an 'or-selector' can be specified, but not both")
    if choice.existing_resource_policy and choice.existing_resource_policy not in POLICIES:
        raise Misuse(
            "existing-resource-policy has invalid value, it accepts only none, update as value"
        )
    if choice.parallel_files_download < 0:
        raise Misuse("parallel-files-download cannot be negative")
    included = choice.include_namespaces or ["*"]
    check_namespaces(included, choice.exclude_namespaces)


def _modifier(name: str) -> Object | None:
    return {"kind": "configmap", "name": name} if name else None


def _uploader(choice: Choice) -> Object:
    made: Object = {}
    if choice.write_sparse_files is not None:
        made["writeSparseFiles"] = choice.write_sparse_files
    if choice.parallel_files_download:
        made["parallelFilesDownload"] = choice.parallel_files_download
    return made
