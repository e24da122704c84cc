"""Clusters as `kedge status` sees them, made by hand."""

from datetime import timedelta
from typing import Any

from kedge.cli.status.gathering import Gathered, Listing
from kedge.cli.status.kinds import AT_HOME, EVENTS, EVERYWHERE, LOCATIONS
from kedge.cli.status.view import View
from kedge.kube.kind import Kind
from kedge.kube.times import format_time
from tests.unit.cli.conftest import NOW

Object = dict[str, Any]
GOOD = {"phase": "Available", "lastValidationTime": format_time(NOW - timedelta(seconds=30))}


def ago(**much: float) -> str:
    """Write a time that is past."""
    return format_time(NOW - timedelta(**much))


def obj(name: str, namespace: str = "velero", **parts: Any) -> Object:
    """Make an object; its metadata can be added to."""
    meta = {"name": name, "namespace": namespace, "creationTimestamp": ago(days=2)}
    return {"metadata": meta | parts.pop("metadata", {}), **parts}


def backup(name: str, phase: str, schedule: str = "", **status: Any) -> Object:
    """Make a Backup that was made an hour ago, or so."""
    made = status.pop("made", ago(hours=1))
    labels = {"velero.io/schedule-name": schedule} if schedule else {}
    meta = {"labels": labels, "creationTimestamp": made}
    return obj(name, metadata=meta, status={"phase": phase, "completionTimestamp": made} | status)


def view(*lists: tuple[Kind[Any], list[Object]], **more: Any) -> View:
    """Look at a cluster with these objects, and a location that works."""
    found = {kind.plural: Listing(kind.plural) for kind in (*AT_HOME, *EVERYWHERE, EVENTS)}
    found[LOCATIONS.plural].objects = [obj("default", status=GOOD)]
    for kind, objects in lists:
        found[kind.plural].objects = objects
    problems = more.pop("problems", {})
    for plural, problem in problems.items():
        found[plural] = Listing(plural, problem=problem)
    return View(Gathered("velero", "shop", found, **more), NOW)
