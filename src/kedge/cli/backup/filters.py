"""The options that say what a backup saves, for all commands that make backups or templates."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from kedge.cli.backup.template import Filters
from kedge.cli.flags import (
    duration_option,
    include_option,
    list_option,
    map_option,
    selector_option,
    tristate,
)

RESOURCE_FORM = "as resource.group, such as storageclasses.storage.k8s.io"


def or_selectors(ctx: click.Context, param: click.Parameter, given: str | None) -> list[str]:
    """Read selectors with `or` between them."""
    from kedge.cli.flags import OR, read_selector

    found = [one for one in OR.split(given.strip()) if one] if given else []
    for one in found:
        read_selector(one)
    return found


def _ordered(ctx: click.Context, param: click.Parameter, given: str | None) -> dict[str, str]:
    found = {}
    for entry in given.split(";") if given else ():
        kind, equals, order = entry.partition("=")
        if not equals or "=" in order or not kind.strip():
            raise click.BadParameter(
                f"invalid OrderedResources {entry!r}; write it as 'pods=ns/a,ns/b;pvcs=ns/c'"
            )
        found[kind.strip()] = order.strip()
    return found


_OPTIONS = (
    duration_option("--ttl", help="How long backups are kept, such as 720h; 0: the server says."),
    include_option("--include-namespaces", help="Namespaces to save; * is all.  [default: *]"),
    list_option("--exclude-namespaces", help="Namespaces to leave out."),
    include_option("--include-resources", help=f"Resources to save, {RESOURCE_FORM}; * is all."),
    list_option("--exclude-resources", help=f"Resources to leave out, {RESOURCE_FORM}."),
    tristate("--include-cluster-resources", help="Save resources that are in no namespace."),
    include_option("--include-cluster-scoped-resources", help="Resources in no namespace to save."),
    list_option(
        "--exclude-cluster-scoped-resources", help="Resources in no namespace to leave out."
    ),
    include_option("--include-namespace-scoped-resources", help="Resources in namespaces to save."),
    list_option(
        "--exclude-namespace-scoped-resources", help="Resources in namespaces to leave out."
    ),
    selector_option("-l", "--selector", help="Only save objects that match this label selector."),
    click.option(
        "--or-selector",
        metavar="SELECTOR",
        callback=or_selectors,
        help="Save objects that match one of these: 'a=b or c=d'.",
    ),
    click.option("--storage-location", metavar="NAME", default="", help="Where backups are kept."),
    list_option(
        "--volume-snapshot-locations", help="Where volume snapshots are kept, one a provider."
    ),
    tristate("--snapshot-volumes", help="Take snapshots of persistent volumes."),
    tristate("--snapshot-move-data", help="Copy the data of snapshots to the storage location."),
    click.option("--data-mover", metavar="NAME", default="", help="Who copies that data."),
    tristate("--default-volumes-to-fs-backup", help="Save the files of all pod volumes."),
    click.option(
        "--ordered-resources",
        metavar="ORDER",
        callback=_ordered,
        help="Objects to save first: 'pods=ns1/a,ns1/b;persistentvolumeclaims=ns2/c'.",
    ),
    duration_option("--csi-snapshot-timeout", help="How long to wait for a CSI snapshot."),
    duration_option("--item-operation-timeout", help="How long work that goes on aside may take."),
    click.option(
        "--resource-policies-configmap",
        metavar="NAME",
        default="",
        help="ConfigMap with rules on objects and volumes.",
    ),
    click.option(
        "--parallel-files-upload",
        metavar="N",
        type=click.IntRange(min=0),
        default=0,
        help="How many files are sent at the same time; 0: the uploader says.",
    ),
)


def label_options(what: str) -> Callable[[Any], Any]:
    """Add --labels and --annotations."""

    def add(callback: Any) -> Any:
        annotated = map_option("--annotations", help=f"Annotations of the {what}.")(callback)
        return map_option("--labels", help=f"Labels of the {what}.")(annotated)

    return add


def filter_options(callback: Any) -> Any:
    """Add the options, and hand them over as one `Filters`."""

    @wraps(callback)
    def parsed(**given: Any) -> None:
        mine = {name: given.pop(name) for name in Filters.__annotations__}
        callback(filters=Filters(**mine), **given)

    added: Any = parsed
    for option in reversed(_OPTIONS):
        added = option(added)
    return added
