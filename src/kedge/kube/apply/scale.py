"""Carry managedFields between an object and its scale, where replicas are all there is to own."""

from collections.abc import Mapping
from typing import Final

from kedge.kube.apply.entries import Entry, Identity, identity, in_order, make
from kedge.kube.apply.sets import difference, has, of_paths

SCALE_VERSION: Final = "autoscaling/v1"
REPLICAS: Final = ("f:spec", "f:replicas")
"""The path of the number of replicas in a Scale."""

Paths = Mapping[str, tuple[str, ...] | None]
"""Where the number of replicas is, by apiVersion of the object; None: that version has no scale."""


def scale_entries(parent: list[Entry], paths: Paths) -> list[Entry]:
    """Tell who owns the number of replicas, as entries of a Scale."""
    found = []
    # Of two entries that differ in their time only, the last one counts.
    for entry in {identity(entry): entry for entry in parent}.values():
        path = paths.get(entry["apiVersion"])
        if path and has(entry["fieldsV1"], path):
            fields = of_paths(REPLICAS)
            found.append(make(identity(entry), SCALE_VERSION, fields, entry.get("time")))
    return in_order(found)


def parent_entries(
    parent: list[Entry], scaled: list[Entry], paths: Paths, api_version: str
) -> list[Entry]:
    """Bring the entries of a written Scale back to its object.

    Kubernetes tells updates of the object and of its scale apart by their version, so an updater
    that keeps the number of replicas comes out as two entries, one of them without a time.
    """
    owners = {identity(entry): entry for entry in scaled}
    before = {identity(entry): entry for entry in parent}
    out: dict[Identity, Entry] = {}
    for who, entry in before.items():
        if entry["apiVersion"] not in paths:
            continue
        path = paths[entry["apiVersion"]]
        if path and has(entry["fieldsV1"], path) and owners.pop(who, None) is None:
            fields = difference(entry["fieldsV1"], of_paths(path))
            if fields:
                out[who] = {**entry, "fieldsV1": fields}
        else:
            out[who] = entry
    path = paths[api_version]
    for who, entry in owners.items():
        if path and has(entry["fieldsV1"], REPLICAS):
            time = before[who].get("time") if who in before else None
            out[who] = make(who, api_version, of_paths(path), time)
    return in_order(out.values())
