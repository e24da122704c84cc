"""Leases: who leads, or lives."""

from kedge.apiserver.builtin.fields import NEGATIVE, Errors
from kedge.apiserver.builtin.plain import Plain
from kedge.apiserver.resource import Context, Object

NOT_YET = ("strategy", "preferredHolder")
"""Of a feature that is off."""


class LeaseStrategy(Plain):
    """Hooks of coordination.k8s.io/v1 Lease."""

    known_finalizers = False

    def prepare_create(self, obj: Object, context: Context) -> None:
        """Drop what belongs to a feature that is off."""
        for name in NOT_YET:
            obj["spec"].pop(name, None)

    def prepare_update(self, new: Object, old: Object, context: Context) -> None:
        """Drop what belongs to a feature that is off."""
        self.prepare_create(new, context)

    def check(self, errors: Errors, obj: Object, old: Object | None) -> None:
        """Check the numbers."""
        seconds = obj["spec"].get("leaseDurationSeconds")
        if seconds is not None and seconds <= 0:
            errors.invalid("spec.leaseDurationSeconds", seconds, "must be greater than 0")
        moves = obj["spec"].get("leaseTransitions")
        if moves is not None and moves < 0:
            errors.invalid("spec.leaseTransitions", moves, NEGATIVE)
