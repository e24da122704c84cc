"""Say with whom an apply conflicts, in Kubernetes' words."""

from collections.abc import Mapping

from kedge.kube.apply.entries import UPDATE, Identity, identity_text
from kedge.kube.apply.sets import FieldSet, paths, show_path
from kedge.kube.errors import Conflict
from kedge.kube.gotext import quote

Conflicts = Mapping[Identity, FieldSet]
"""The fields that others own, by owner; no set is empty."""


def conflict_error(conflicts: Conflicts, versions: Mapping[Identity, str]) -> Conflict:
    """Make the error of an apply that would take these fields from their owners."""
    causes = []
    groups = []
    for who in sorted(conflicts, key=identity_text):
        name = _owner(who, versions[who])
        fields = [show_path(path) for path in paths(conflicts[who])]
        causes += [
            {"reason": "FieldManagerConflict", "message": f"conflict with {name}", "field": field}
            for field in fields
        ]
        groups.append("\n".join([f"conflicts with {name}:", *(f"- {field}" for field in fields)]))
    if len(causes) == 1:
        text = f"1 conflict: {causes[0]['message']}: {causes[0]['field']}"
    else:
        text = f"{len(causes)} conflicts: " + "\n".join(groups)
    return Conflict(f"Apply failed with {text}", {"causes": causes})


def _owner(who: Identity, version: str) -> str:
    manager, operation, _, subresource = who
    name = quote(manager)
    if subresource:
        name = f"{name} with subresource {quote(subresource)}"
    return f"{name} using {version}" if operation == UPDATE else name
