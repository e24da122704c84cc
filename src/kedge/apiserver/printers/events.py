"""Events: what happened to which object, when, and how often."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from kedge.apiserver.printers.wording import Cells, lower, name_of, part
from kedge.apiserver.resource import Object
from kedge.kube.ages import since

_SPACE: Final = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
"""What Go trims."""
_CORE: Final = {
    name: name
    for name in ("involvedObject", "message", "source", "firstTimestamp", "lastTimestamp", "count")
} | {"controller": "reportingComponent"}
_NEW: Final = {
    "involvedObject": "regarding",
    "message": "note",
    "source": "deprecatedSource",
    "firstTimestamp": "deprecatedFirstTimestamp",
    "lastTimestamp": "deprecatedLastTimestamp",
    "count": "deprecatedCount",
    "controller": "reportingController",
}


def event(obj: Object, now: datetime) -> Cells:
    """Give the cells of an Event of the core group."""
    return _cells(obj, now, _CORE)


def new_event(obj: Object, now: datetime) -> Cells:
    """Give the cells of an Event of events.k8s.io, whose fields have other names."""
    return _cells(obj, now, _NEW)


def _cells(obj: Object, now: datetime, names: Mapping[str, str]) -> Cells:
    about, source = part(obj, names["involvedObject"]), part(obj, names["source"])
    first = since(obj.get(names["firstTimestamp"]) or obj.get("eventTime"), now)
    last, count = obj.get(names["lastTimestamp"]), obj.get(names["count"]) or 1
    seen = since(last, now) if last else first
    series = obj.get("series")
    if series is not None:
        seen, count = since(series.get("lastObservedTime"), now), series.get("count", 0)
    component = source.get("component") or obj.get(names["controller"]) or ""
    host = source.get("host") or obj.get("reportingInstance")
    kind, name = lower(about.get("kind", "")), about.get("name")
    return [
        seen,
        obj.get("type", ""),
        obj.get("reason", ""),
        f"{kind}/{name}" if name else kind,
        about.get("fieldPath", ""),
        f"{component}, {host}" if host else component,
        obj.get(names["message"], "").strip(_SPACE),
        first,
        count,
        name_of(obj),
    ]
