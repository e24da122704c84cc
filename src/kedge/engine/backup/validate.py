"""What is wrong with the spec of a backup, in Velero's words. Pure."""

from collections.abc import Iterable, Sequence
from typing import Final

from kedge.api.velero.backup import BackupSpec
from kedge.api.velero.selector import LabelSelector
from kedge.engine.backup.namespaces import pattern_problem
from kedge.engine.backup.policies import Policies
from kedge.engine.includes import ALL
from kedge.kube.gotext import quote
from kedge.kube.names import label_name
from kedge.kube.requirements import SelectorError

OLD_FILTERS: Final = (
    "include-resources, exclude-resources and include-cluster-resources are old filter parameters."
)
MIXED_FILTERS: Final = (
    f"{OLD_FILTERS}\n"
    "include-cluster-scoped-resources, exclude-cluster-scoped-resources, "
    "include-namespace-scoped-resources and exclude-namespace-scoped-resources are new filter "
    "parameters.\n"
    "They cannot be used together"
)
MIXED_POLICY: Final = f"{OLD_FILTERS}\nThey cannot be used with include-exclude policies."
MIXED_FILTER_POLICY: Final = (
    f"{OLD_FILTERS}\nThey cannot be used with namespace-scoped or fine-grained global filter "
    "policies."
)
BOTH_SELECTORS: Final = (
    "encountered labelSelector as well as orLabelSelectors in backup spec, only one can be "
    "specified"
)
_INCLUDES_ALL: Final = "includes list must either contain '*' only, or a non-empty list of items"
_EXCLUDES_ALL: Final = "excludes list must either contain '*' only, or a non-empty list of items"

Names = Sequence[str] | None


def uses_old_filters(spec: BackupSpec) -> bool:
    """Tell whether a spec has one of the filters that were there first."""
    is_set = spec.include_cluster_resources is not None
    return is_set or bool(spec.included_resources or spec.excluded_resources)


def uses_scoped_filters(spec: BackupSpec) -> bool:
    """Tell whether a spec has one of the filters that came later."""
    return bool(
        spec.included_cluster_scoped_resources
        or spec.excluded_cluster_scoped_resources
        or spec.included_namespace_scoped_resources
        or spec.excluded_namespace_scoped_resources
    )


def policy_problems(spec: BackupSpec, policies: Policies | None) -> list[str]:
    """Tell which rules of a policy do not go together with a spec."""
    if policies is None or not uses_old_filters(spec):
        return []
    found = [] if policies.resources is None else [MIXED_POLICY]
    return [*found, MIXED_FILTER_POLICY] if policies.filters.given else found


def problems(spec: BackupSpec) -> list[str]:
    """Check the filters of a spec: namespaces, resources, labels."""
    found = []
    if uses_old_filters(spec) and uses_scoped_filters(spec):
        found.append(MIXED_FILTERS)
    found += _resource_lists(spec)
    names = spec.included_namespaces, spec.excluded_namespaces
    found += [f"Invalid included/excluded namespace lists: {each}" for each in _namespaces(*names)]
    if spec.or_label_selectors is not None and spec.label_selector is not None:
        found.append(BOTH_SELECTORS)
    found += _selectors("labelSelector", [spec.label_selector])
    found += _selectors("orLabelSelectors", spec.or_label_selectors or [])
    groups = (spec.hooks.resources if spec.hooks else None) or []
    found += _selectors("hooks.resources.labelSelector", [one.label_selector for one in groups])
    return found


def _resource_lists(spec: BackupSpec) -> list[str]:
    if uses_old_filters(spec):
        found = lists(spec.included_resources, spec.excluded_resources)
        return [f"Invalid included/excluded resource lists: {each}" for each in found]
    cluster = scoped_lists(
        spec.included_cluster_scoped_resources, spec.excluded_cluster_scoped_resources
    )
    inside = scoped_lists(
        spec.included_namespace_scoped_resources, spec.excluded_namespace_scoped_resources
    )
    text = "Invalid {}-scoped included/excluded resource lists: {}"
    return [text.format("cluster", each) for each in cluster] + [
        text.format("namespace", each) for each in inside
    ]


def lists(included: Names, excluded: Names) -> list[str]:
    """Check two lists, of which only the included one may hold an asterisk."""
    includes, excludes = set(included or ()), set(excluded or ())
    found = []
    if len(includes) > 1 and ALL in includes:
        found.append(_INCLUDES_ALL)
    if ALL in excludes:
        found.append("excludes list cannot contain '*'")
    return found + _in_both(includes, excludes)


def scoped_lists(included: Names, excluded: Names) -> list[str]:
    """Check two lists, each of which may be an asterisk."""
    includes, excludes = set(included or ()), set(excluded or ())
    found = []
    if len(includes) > 1 and ALL in includes:
        found.append(_INCLUDES_ALL)
    if len(excludes) > 1 and ALL in excludes:
        found.append(_EXCLUDES_ALL)
    if includes and ALL in excludes:
        found.append("when exclude is '*', include cannot have value")
    return found + _in_both(includes, excludes)


def _in_both(includes: set[str], excludes: set[str]) -> list[str]:
    return [
        f"excludes list cannot contain an item in the includes list: {each}"
        for each in sorted(includes & excludes)
    ]


def _namespaces(included: Names, excluded: Names) -> list[str]:
    found = lists(included, excluded)
    for names in (included, excluded):
        for name in sorted(set(names or ())):
            found += _namespace(name)
    return found


def _namespace(name: str) -> list[str]:
    if not name:
        return []
    problem = pattern_problem(name)
    if problem:
        return [problem]
    # What stands for other characters counts as one that is allowed.
    plain = name.translate(str.maketrans("*?[]", "xxxx"))
    return [f"invalid namespace {quote(name)}: {each}" for each in label_name(plain)]


def _selectors(field: str, selectors: Iterable[LabelSelector | None]) -> list[str]:
    """Check selectors: Velero would start, and find out when it lists."""
    found = []
    for selector in selectors:
        try:
            if selector is not None:
                _ = selector.selector
        except SelectorError as exc:
            found.append(f"invalid {field}: {exc}")
    return found
