"""managedFields and server-side apply: who owns which field of an object.

A write other than an apply goes through `track`, an apply through `apply`; `settled` then keeps a
write that changed nothing but times from being one.
"""

from kedge.kube.apply.configuration import ApplyResult, apply, described
from kedge.kube.apply.manager import Manager, Version, manager_name
from kedge.kube.apply.scale import parent_entries, scale_entries
from kedge.kube.apply.sets import FieldSet
from kedge.kube.apply.track import settled, track

__all__ = [
    "ApplyResult",
    "FieldSet",
    "Manager",
    "Version",
    "apply",
    "described",
    "manager_name",
    "parent_entries",
    "scale_entries",
    "settled",
    "track",
]
