"""The annotation of client-side `kubectl apply`, which kubectl's server-side apply keeps up."""

import json
from typing import Any, Final

from kedge.kube.apply.atoms import Atom
from kedge.kube.apply.check import problem
from kedge.kube.apply.compare import compare
from kedge.kube.apply.contents import contents
from kedge.kube.apply.sets import EMPTY, FieldSet, difference
from kedge.kube.gotext import to_json

ANNOTATION: Final = "kubectl.kubernetes.io/last-applied-configuration"
KUBECTL: Final = "kubectl"
"""The manager that the rules of this module are for."""
MAX_ANNOTATION_BYTES: Final = 256 * 1024
"""All annotations together; a larger configuration is not kept."""

Object = dict[str, Any]


def allowed(atom: Atom, live: Object, api_version: str) -> FieldSet:
    """Give what client-side apply set and nobody changed since: kubectl may take that."""
    text = _annotations(live).get(ANNOTATION)
    try:
        last = json.loads(text) if text else None
        if not isinstance(last, dict) or last.get("apiVersion") != api_version:
            return EMPTY
        if problem(atom, last) or problem(atom, live):
            return EMPTY
        changed, removed = compare(atom, last, live)
        return difference(difference(contents(atom, last), changed), removed)
    except ValueError:
        return EMPTY


def synced(obj: Object, applied: Object) -> Object:
    """Bring the annotation up to date, where the object has one."""
    annotations = _annotations(obj)
    if not annotations.get(ANNOTATION):
        return obj
    kept = {name: text for name, text in annotations.items() if name != ANNOTATION}
    fresh = {**annotations, ANNOTATION: _text(applied)}
    sizes = (len(name.encode()) + len(text.encode()) for name, text in fresh.items())
    fits = sum(sizes) <= MAX_ANNOTATION_BYTES
    return {**obj, "metadata": {**obj["metadata"], "annotations": fresh if fits else kept}}


def _text(applied: Object) -> str:
    metadata = applied.get("metadata")
    if isinstance(metadata, dict) and isinstance(metadata.get("annotations"), dict):
        annotations = {
            name: text for name, text in metadata["annotations"].items() if name != ANNOTATION
        }
        applied = {**applied, "metadata": {**metadata, "annotations": annotations}}
    return f"{to_json(applied)}\n"


def _annotations(obj: Object) -> dict[str, Any]:
    metadata = obj.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    return annotations if isinstance(annotations, dict) else {}
