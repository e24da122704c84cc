"""Jobs: defaults, the selector that the server makes, and rules for the spec."""

import re
from typing import Any

from kedge.apiserver.builtin import fields
from kedge.apiserver.builtin.equality import same
from kedge.apiserver.builtin.fields import LARGEST_INT32, Errors
from kedge.apiserver.builtin.internal import shown_selector, shown_struct
from kedge.apiserver.builtin.job_policies import check_failure_policy, check_success_policy
from kedge.apiserver.builtin.job_status import check_job_status
from kedge.apiserver.builtin.labels import check_selector, has_bad_value, is_valid_selector, picks
from kedge.apiserver.builtin.pods.defaults import default_template
from kedge.apiserver.builtin.pods.spec import check_template
from kedge.apiserver.builtin.pods.surroundings import Options
from kedge.apiserver.builtin.pods.warnings import pod_warnings
from kedge.apiserver.builtin.workload import Templated
from kedge.apiserver.resource import Context, Object
from kedge.kube import names
from kedge.kube.fielderror import FieldError

UID = "batch.kubernetes.io/controller-uid"
NAME = "batch.kubernetes.io/job-name"
OLD_UID = "controller-uid"
OLD_NAME = "job-name"
MOST_PARALLEL = 100_000
MANY_COMPLETIONS = 100_000
MOST_WITH_MANY = 10_000
LONGEST_MANAGER = 63
COUNTS = (
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
)
WITH_MANY = (
    f"must be less than or equal to {MOST_WITH_MANY} when completions are above "
    f"{MANY_COMPLETIONS} and used with backoff limit per index"
)
TOO_MANY_INDEXES = (
    "In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than "
    "10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail"
)
PATH = r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+"
REPLACEMENTS = ("Failed", "TerminatingOrFailed")


class JobStrategy(Templated):
    """Hooks of batch/v1 Job."""

    orphans_by_default = True
    orphan_warning = (
        "child pods are preserved by default when jobs are deleted; "
        "set propagationPolicy=Background to remove them "
        "or set propagationPolicy=Orphan to suppress this warning"
    )

    def default(self, obj: Object) -> None:
        """Fill in what the user left out."""
        spec: Object = obj.setdefault("spec", {})
        if "completions" not in spec and "parallelism" not in spec:
            spec["completions"] = 1
        spec.setdefault("parallelism", 1)
        limit = LARGEST_INT32 if "backoffLimitPerIndex" in spec else 6
        spec.setdefault("backoffLimit", limit)
        labels = (self.template(obj).get("metadata") or {}).get("labels")
        if labels and not obj["metadata"].get("labels"):
            obj["metadata"]["labels"] = labels  # one map: what one gets, the other has too
        spec.setdefault("completionMode", "NonIndexed")
        spec.setdefault("suspend", False)
        replacement = "Failed" if "podFailurePolicy" in spec else "TerminatingOrFailed"
        spec.setdefault("podReplacementPolicy", replacement)
        spec.setdefault("manualSelector", False)
        default_job_template(spec)

    def prepare_create(self, obj: Object, context: Context) -> None:
        """Make a selector that picks the pods of this job only."""
        metadata = self.template(obj).setdefault("metadata", {})
        labels = obj["metadata"].get("labels")
        # To make a name, the server copies the object: then they are two maps.
        shared = labels is None or (labels is metadata.get("labels") and not context.generated)
        if labels and not shared:
            obj["metadata"]["labels"] = dict(labels)
        if not obj["spec"].get("manualSelector"):
            _make_selector(obj)
        if shared and metadata.get("labels"):
            # They are filled in once more when the object is read back.
            obj["metadata"]["labels"] = dict(metadata["labels"])
        super().prepare_create(obj, context)

    def validate_update(self, new: Object, old: Object, context: Context) -> list[FieldError]:
        """Check a changed job as if it were new, then what changed; or only its status."""
        if context.subresource == "status":
            return super().validate_update(new, old, context)
        errors = fields.whole_metadata(new)
        self.check(errors, new, old)
        return errors

    def check(self, errors: Errors, obj: Object, old: Object | None) -> None:
        """Check the job, and on update what may not change; some of it is then checked twice."""
        options = self.options(old)
        before = (self.template(old).get("metadata") or {}).get("labels") or {} if old else {}
        prefixed = old is None or (NAME in before and UID in before)
        loose = options.loose_selector_values or (
            old is not None and has_bad_value(old["spec"].get("selector"))
        )
        _check_made_selector(errors, obj, prefixed)
        _check_whole_spec(errors, obj["spec"], options, loose)
        _check_host_names(errors, obj)
        if old is not None:
            errors += fields.changed_metadata(obj, old)
            _check_whole_spec(errors, obj["spec"], options, loose)
            _check_changes(errors, obj["spec"], old["spec"], old)

    def check_status(self, errors: Errors, new: Object, old: Object) -> None:
        """Check that the status goes together, and where it comes from."""
        check_job_status(errors, new, old)

    def template_warnings(self, obj: Object) -> list[str]:
        """Warn of what the spec says."""
        return job_warnings("spec", obj["spec"])


def default_job_template(spec: Object) -> None:
    """Fill in the parts of a job's spec that a cron job's template has too."""
    for rule in (spec.get("podFailurePolicy") or {}).get("rules") or ():
        for pattern in rule.get("onPodConditions") or ():
            if not pattern.get("status"):
                pattern["status"] = "True"
    default_template(spec.setdefault("template", {}))


def _make_selector(job: Object) -> None:
    """Label the pods with the job's name and uid, and select them by the uid."""
    metadata = job["spec"]["template"].setdefault("metadata", {})
    labels = metadata.setdefault("labels", {})
    for key, name in ((OLD_NAME, "name"), (NAME, "name"), (OLD_UID, "uid"), (UID, "uid")):
        labels.setdefault(key, job["metadata"].get(name, ""))
    selector = job["spec"].setdefault("selector", {})
    matched = dict(selector.get("matchLabels") or {})
    matched.setdefault(UID, job["metadata"].get("uid", ""))
    selector["matchLabels"] = matched


def _check_made_selector(errors: Errors, job: Object, prefixed: bool) -> None:
    """Check that user's labels have not spoilt the selector that the server makes."""
    spec, metadata = job["spec"], job["metadata"]
    if spec.get("manualSelector") or spec.get("selector") is None:
        return
    wanted = {OLD_UID: metadata.get("uid", ""), OLD_NAME: metadata.get("name", "")}
    if prefixed:
        wanted |= {UID: metadata.get("uid", ""), NAME: metadata.get("name", "")}
    labels = ((spec.get("template") or {}).get("metadata") or {}).get("labels") or {}
    for key, value in wanted.items():
        path = f"spec.template.metadata.labels[{key}]"
        if key not in labels:
            errors.required(path, f"must be '{value}'")
        elif labels[key] != value:
            errors.invalid(path, fields.shown_map(labels), f"must be '{value}'")
    if is_valid_selector(spec["selector"]) and not picks(spec["selector"], wanted):
        shown = shown_selector(spec["selector"])
        errors.invalid("spec.selector", shown, "`selector` not auto-generated")


def _check_whole_spec(errors: Errors, spec: Object, options: Options, loose: bool) -> None:
    check_job_spec(errors, "spec", spec, options)
    selector = spec.get("selector")
    if selector is None:
        errors.required("spec.selector")
    else:
        check_selector(errors, "spec.selector", selector, loose)
    labels = ((spec.get("template") or {}).get("metadata") or {}).get("labels")
    if is_valid_selector(selector) and not picks(selector, labels):
        shown = fields.shown_map(labels)
        errors.invalid("spec.template.metadata.labels", shown, fields.NO_MATCH)


def _check_host_names(errors: Errors, job: Object) -> None:
    """Check that the last pod of an indexed job can have a host name."""
    completions = job["spec"].get("completions") or 0
    if job["spec"].get("completionMode") != "Indexed" or completions <= 0:
        return
    name = job["metadata"].get("name", "")
    last = f"{name}-{completions - 1}"
    if names.dns_label(last):
        what = f"will not able to create pod with invalid DNS label: {last}"
        errors.invalid("metadata.name", name, what)


def check_job_spec(errors: Errors, path: str, spec: Object, options: Options) -> None:
    """Check what holds for a job and for the job template of a cron job."""
    fields.non_negatives(errors, path, spec, COUNTS)
    if "maxFailedIndexes" in spec:
        fields.non_negatives(errors, path, spec, ("maxFailedIndexes",))
        if "backoffLimitPerIndex" not in spec:
            what = "when maxFailedIndexes is specified"
            errors.required(f"{path}.backoffLimitPerIndex", what)
    if "managedBy" in spec:
        _check_manager(errors, f"{path}.managedBy", spec["managedBy"])
    mode = spec.get("completionMode")
    fields.optional_enum(errors, f"{path}.completionMode", mode, ("NonIndexed", "Indexed"))
    if mode == "Indexed":
        _check_indexed(errors, path, spec)
    elif mode in (None, "NonIndexed"):
        for name in ("backoffLimitPerIndex", "maxFailedIndexes"):
            if name in spec:
                errors.invalid(f"{path}.{name}", spec[name], "requires indexed completion mode")
    if "podFailurePolicy" in spec:
        check_failure_policy(errors, f"{path}.podFailurePolicy", spec)
    if "successPolicy" in spec:
        check_success_policy(errors, f"{path}.successPolicy", spec)
    allowed = ("Failed",) if "podFailurePolicy" in spec else REPLACEMENTS
    replacement = spec.get("podReplacementPolicy")
    fields.optional_enum(errors, f"{path}.podReplacementPolicy", replacement, allowed)
    template = spec.get("template") or {}
    check_template(errors, f"{path}.template", template, options)
    policy = (template.get("spec") or {}).get("restartPolicy", "")
    _check_restart(errors, f"{path}.template.spec.restartPolicy", policy, spec)


def _check_restart(errors: Errors, path: str, policy: str, spec: Object) -> None:
    if policy in ("Always", ""):
        errors.required(path, 'valid values: "OnFailure", "Never"')
    elif policy not in ("OnFailure", "Never"):
        errors.unsupported(path, policy, ("OnFailure", "Never"))
    elif "podFailurePolicy" in spec and policy != "Never":
        what = 'only "Never" is supported when podFailurePolicy is specified'
        errors.invalid(path, policy, what)


def _check_manager(errors: Errors, path: str, manager: str) -> None:
    if not manager:
        errors.required(path)
    host, _, rest = manager.partition("/")
    if manager and not (host and rest):
        what = 'must be a domain-prefixed path (such as "acme.io/foo")'
        errors.invalid(path, manager, what)
    elif manager:
        errors.each(path, host, names.dns_subdomain(host))
        if not re.fullmatch(PATH, rest):
            errors.invalid(path, rest, names.pattern_rule("Invalid path", PATH))
    if names.size(manager) > LONGEST_MANAGER:
        errors.too_long(path, LONGEST_MANAGER)


def _check_indexed(errors: Errors, path: str, spec: Object) -> None:
    completions, parallelism = spec.get("completions"), spec.get("parallelism", 0)
    failed = spec.get("maxFailedIndexes")
    if completions is None:
        errors.required(f"{path}.completions", "when completion mode is Indexed")
    if parallelism > MOST_PARALLEL:
        what = f"must be less than or equal to {MOST_PARALLEL} when completion mode is Indexed"
        errors.invalid(f"{path}.parallelism", parallelism, what)
    where = f"{path}.maxFailedIndexes"
    if completions is not None and failed is not None and failed > completions:
        errors.invalid(where, failed, "must be less than or equal to completions")
    if failed is not None and failed > MOST_PARALLEL:
        errors.invalid(where, failed, f"must be less than or equal to {MOST_PARALLEL}")
    if (completions or 0) > MANY_COMPLETIONS and "backoffLimitPerIndex" in spec:
        if failed is None:
            what = f"must be specified when completions is above {MANY_COMPLETIONS}"
            errors.required(where, what)
        if parallelism > MOST_WITH_MANY:
            errors.invalid(f"{path}.parallelism", parallelism, WITH_MANY)
        if failed is not None and failed > MOST_WITH_MANY:
            errors.invalid(where, failed, WITH_MANY)


def _check_changes(errors: Errors, spec: Object, before: Object, old: Object) -> None:
    """Check what may not change once the job is there."""
    _check_completions(errors, spec, before)
    selector = spec.get("selector")
    shown: Any = shown_selector(selector)
    fields.immutable(errors, "spec.selector", selector, before.get("selector"), shown)
    _check_template_change(errors, spec, before, old)
    immutable = (
        ("completionMode", ""),
        ("podFailurePolicy", "PodFailurePolicy"),
        ("backoffLimitPerIndex", ""),
        ("managedBy", ""),
        ("successPolicy", "SuccessPolicy"),
    )
    for name, struct in immutable:
        value = spec.get(name)
        shown = shown_struct(struct, value) if struct else None
        fields.immutable(errors, f"spec.{name}", value, before.get(name), shown)


def _check_completions(errors: Errors, spec: Object, before: Object) -> None:
    completions, earlier = spec.get("completions"), before.get("completions")
    if spec.get("completionMode") != "Indexed":
        fields.immutable(errors, "spec.completions", completions, earlier)
    elif completions not in (None, earlier) and completions != spec.get("parallelism"):
        what = "can only be modified in tandem with spec.parallelism"
        errors.invalid("spec.completions", completions, what)


def _check_template_change(errors: Errors, spec: Object, before: Object, old: Object) -> None:
    template, earlier = spec.get("template") or {}, before.get("template") or {}
    if before.get("suspend") and "startTime" not in (old.get("status") or {}):
        earlier = _with_placement(earlier, template)
    if not same(template, earlier):
        shown = shown_struct("PodTemplateSpec", template)
        errors.invalid("spec.template", shown, fields.IMMUTABLE)


def _with_placement(old: Object, new: Object) -> Object:
    """Give the old template with what decides where pods of a job that waits may run."""
    spec, now = dict(old.get("spec") or {}), new.get("spec") or {}
    metadata, meta_now = dict(old.get("metadata") or {}), new.get("metadata") or {}
    for holder, source, names_ in (
        (spec, now, ("nodeSelector", "tolerations", "schedulingGates")),
        (metadata, meta_now, ("annotations", "labels")),
    ):
        for name in names_:
            holder.pop(name, None)
            if name in source:
                holder[name] = source[name]
    affinity, wanted = dict(spec.get("affinity") or {}), now.get("affinity")
    affinity.pop("nodeAffinity", None)
    if wanted is not None and "nodeAffinity" in wanted:
        affinity["nodeAffinity"] = wanted["nodeAffinity"]
    spec.pop("affinity", None)
    if affinity or wanted is not None:
        spec["affinity"] = affinity
    return {**old, "metadata": metadata, "spec": spec}


def job_warnings(path: str, spec: Object) -> list[str]:
    """Warn of what a job's spec says."""
    found: list[str] = []
    completions, parallelism = spec.get("completions", 0), spec.get("parallelism", 0)
    many = completions > MANY_COMPLETIONS and parallelism > MOST_WITH_MANY
    if spec.get("completionMode") == "Indexed" and many:
        found.append(f"{path}: {TOO_MANY_INDEXES}")
    return found + pod_warnings(f"{path}.template.", spec.get("template") or {})
