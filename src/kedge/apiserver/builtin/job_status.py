"""Rules for the status of a job: a job that has ended stays so, and its numbers go together."""

from collections.abc import Callable
from typing import Any

from kedge.apiserver.builtin import fields
from kedge.apiserver.builtin.equality import same
from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.builtin.internal import shown_struct
from kedge.apiserver.builtin.job_policies import BadIndexes, count_indexes, interval
from kedge.apiserver.resource import Object
from kedge.kube.fielderror import OMITTED

CONDITIONS = "status.conditions"


class Change:
    """The two states of one job, and questions that the rules ask about them."""

    def __init__(self, new: Object, old: Object) -> None:
        """Compare a job with what it was."""
        self.spec: Object = new["spec"]
        self.status: Object = new.get("status") or {}
        self.old: Object = old.get("status") or {}
        self.indexed = self.spec.get("completionMode") == "Indexed"

    def has(self, kind: str, status: str = "True") -> bool:
        """Tell whether a condition holds."""
        return has_condition(self.status, kind, status)

    def had(self, kind: str, status: str = "True") -> bool:
        """Tell whether a condition held."""
        return has_condition(self.old, kind, status)

    def flipped(self, *kinds: str) -> bool:
        """Tell whether one of these conditions began or ceased to hold."""
        return any(self.has(kind) != self.had(kind) for kind in kinds)

    def changed(self, *names: str) -> bool:
        """Tell whether one of these fields changed."""
        return any(not same(self.status.get(name), self.old.get(name)) for name in names)

    @property
    def finished(self) -> bool:
        """Whether the job has ended."""
        return self.has("Complete") or self.has("Failed")

    @property
    def finish_flipped(self) -> bool:
        """Whether the job ended, or began anew."""
        return self.finished != (self.had("Complete") or self.had("Failed"))


def has_condition(status: Object, kind: str, value: str = "True") -> bool:
    """Tell whether a status has a condition with this value."""
    return any(
        one.get("type") == kind and one.get("status") == value
        for one in status.get("conditions") or ()
    )


def check_job_status(errors: Errors, new: Object, old: Object) -> None:
    """Check an update of a job's status."""
    change = Change(new, old)
    fields.non_negatives(
        errors, "status", change.status, ("active", "succeeded", "failed", "ready", "terminating")
    )
    _check_uncounted(errors, change.status.get("uncountedTerminatedPods") or {})
    for rule in RULES:
        rule(errors, change)


def _check_uncounted(errors: Errors, uncounted: Object) -> None:
    seen: set[str] = set()
    for name in ("succeeded", "failed"):
        for index, uid in enumerate(uncounted.get(name) or ()):
            path = f"status.uncountedTerminatedPods.{name}[{index}]"
            if not uid:
                errors.invalid(path, uid, "must not be empty")
            elif uid in seen:
                errors.duplicate(path, uid)
            seen.add(uid)


def _refuse(errors: Errors, what: str) -> None:
    errors.invalid(CONDITIONS, OMITTED, what)


def _check_ends(errors: Errors, change: Change) -> None:
    for kind in ("Failed", "FailureTarget"):
        if change.flipped("Complete", kind) and change.has("Complete") and change.has(kind):
            _refuse(errors, f"cannot set Complete=True and {kind}=true conditions")


def _check_times(errors: Errors, change: Change) -> None:
    end, start = change.status.get("completionTime"), change.status.get("startTime")
    path = "status.completionTime"
    if change.flipped("Complete") or change.changed("completionTime"):
        if end is not None and not change.has("Complete"):
            what = "cannot set completionTime when there is no Complete=True condition"
            errors.invalid(path, end, what)
        if end is None and change.has("Complete"):
            errors.required(path, "completionTime is required for Complete jobs")
    if change.changed("startTime", "completionTime") and end and start and end < start:
        errors.invalid(path, end, "must be equal to or after `startTime`")


def _check_reasons(errors: Errors, change: Change) -> None:
    failed = change.flipped("Failed") or change.changed("failedIndexes")
    if failed and change.has("Failed") and not change.has("FailureTarget"):
        _refuse(errors, "cannot set Failed=True condition without the FailureTarget=true condition")
    completed = change.flipped("Complete", "SuccessCriteriaMet") and change.has("Complete")
    if completed and not change.has("SuccessCriteriaMet"):
        what = "cannot set Complete=True condition without the SuccessCriteriaMet=true condition"
        _refuse(errors, what)


def _check_finished(errors: Errors, change: Change) -> None:
    status, flipped = change.status, change.finish_flipped
    if not change.finished:
        return
    if (flipped or change.changed("active")) and status.get("active", 0) > 0:
        what = "active>0 is invalid for finished job"
        errors.invalid("status.active", status["active"], what)
    nothing_to_do = change.spec.get("suspend") is True and change.spec.get("completions") == 0
    started = "startTime" in status or nothing_to_do
    if (flipped or change.changed("startTime")) and not started:
        errors.required("status.startTime", "startTime is required for finished job")
    uncounted = status.get("uncountedTerminatedPods") or {}
    waiting = uncounted.get("failed") or uncounted.get("succeeded")
    if (flipped or change.changed("uncountedTerminatedPods")) and waiting:
        shown = shown_struct("UncountedTerminatedPods", uncounted)
        what = "must be empty for finished job"
        errors.invalid("status.uncountedTerminatedPods", shown, what)


def _check_index(errors: Errors, name: str, text: str, completions: int) -> None:
    try:
        count_indexes(text, completions)
    except BadIndexes as wrong:
        errors.invalid(f"status.{name}", text, f"error parsing {name}: {wrong}")


def _check_indexes(errors: Errors, change: Change) -> None:
    status, spec = change.status, change.spec
    completions = spec.get("completions")
    completed, failed = status.get("completedIndexes", ""), status.get("failedIndexes")
    completed_changed = completed != change.old.get("completedIndexes", "")
    failed_changed = change.changed("failedIndexes")
    limited = "backoffLimitPerIndex" in spec
    if completed_changed and completions is not None:
        _check_index(errors, "completedIndexes", completed, completions)
    if failed_changed and completions is not None and limited and failed is not None:
        _check_index(errors, "failedIndexes", failed, completions)
    if completed_changed and completed and not change.indexed:
        what = "cannot set non-empty completedIndexes when non-indexed completion mode"
        errors.invalid("status.completedIndexes", completed, what)
    if failed_changed and not limited and failed is not None:
        what = "cannot set non-null failedIndexes when backoffLimitPerIndex is null"
        errors.invalid("status.failedIndexes", failed, what)
    if (failed_changed or completed_changed) and completions is not None and failed is not None:
        both = _overlap(completed, failed, completions)
        if both is not None:
            what = f"failedIndexes and completedIndexes overlap at index: {both}"
            errors.invalid("status.failedIndexes", failed, what)


def _overlap(completed: str, failed: str, completions: int) -> int | None:
    """Give the first index that is in both lists; pieces that are none are told of elsewhere."""
    pairs = (_intervals(completed, completions), _intervals(failed, completions))
    for first, last in pairs[0]:
        for start, end in pairs[1]:
            if first <= end and start <= last:
                return max(first, start)
    return None


def _intervals(text: str, completions: int) -> list[tuple[int, int]]:
    found = []
    for piece in text.split(","):
        try:
            found.append(interval(piece, completions))
        except BadIndexes:
            continue
    return found


def _check_pods(errors: Errors, change: Change) -> None:
    status = change.status
    ending, ready = status.get("terminating") or 0, status.get("ready") or 0
    if change.finished and (change.finish_flipped or change.changed("terminating")) and ending > 0:
        what = "terminating>0 is invalid for finished job"
        errors.invalid("status.terminating", ending, what)
    if change.changed("ready", "active") and "ready" in status and ready > status.get("active", 0):
        errors.invalid("status.ready", ready, "cannot set more ready pods than active")


def _check_success(errors: Errors, change: Change) -> None:
    met = change.has("SuccessCriteriaMet")
    if met and change.has("Failed"):
        _refuse(errors, "cannot set SuccessCriteriaMet=True and Failed=true conditions")
    if met and change.has("FailureTarget"):
        _refuse(errors, "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions")
    if "successPolicy" in change.spec and not met and change.has("Complete"):
        what = "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True"
        _refuse(errors, what)


def _check_history(errors: Errors, change: Change) -> None:
    """Check what may not be taken back."""
    status, old = change.status, change.old
    for kind in ("Failed", "Complete", "FailureTarget"):
        if change.had(kind) and not change.has(kind):
            _refuse(errors, f"cannot disable the terminal {kind}=True condition")
    if status.get("failed", 0) < old.get("failed", 0):
        what = "cannot decrease the failed counter"
        errors.invalid("status.failed", status.get("failed", 0), what)
    scaled = change.indexed and change.spec.get("completions") == change.spec.get("parallelism")
    if not scaled and status.get("succeeded", 0) < old.get("succeeded", 0):
        what = "cannot decrease the succeeded counter"
        errors.invalid("status.succeeded", status.get("succeeded", 0), what)
    end, before = status.get("completionTime"), old.get("completionTime")
    if end is not None and before is not None and end != before:
        errors.invalid("status.completionTime", end, fields.IMMUTABLE)
    _check_start(errors, change)
    met, was_met = change.has("SuccessCriteriaMet"), change.had("SuccessCriteriaMet")
    if was_met and not met:
        _refuse(errors, "cannot disable the SuccessCriteriaMet=True condition")
    if change.had("Complete") and not was_met and met:
        what = "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions"
        _refuse(errors, what)


def _check_start(errors: Errors, change: Change) -> None:
    resuming = change.had("Suspended") and change.has("Suspended", "False")
    moved = change.changed("startTime") and "startTime" in change.old
    if moved and not resuming and not change.spec.get("suspend"):
        what = "startTime cannot be removed for unsuspended job"
        errors.required("status.startTime", what)


Rule = Callable[[Errors, Any], None]
RULES: tuple[Rule, ...] = (
    _check_ends,
    _check_times,
    _check_reasons,
    _check_finished,
    _check_indexes,
    _check_pods,
    _check_success,
    _check_history,
)
