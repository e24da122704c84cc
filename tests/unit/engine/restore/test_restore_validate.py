"""What is wrong with a Restore, in Velero's words."""

from typing import Any

import pytest

from kedge.api.velero.restore import (
    InitHook,
    RestoreHook,
    RestoreHookGroup,
    RestoreHooks,
    RestoreSpec,
)
from kedge.api.velero.selector import LabelRequirement, LabelSelector
from kedge.engine.restore.validate import NON_RESTORABLE, complete, problems

RESOURCES = "Invalid included/excluded resource lists: "
NAMESPACES = "Invalid included/excluded namespace lists: "
IN_BOTH = "excludes list cannot contain an item in the includes list: "
MIXED = "includes list must either contain '*' only, or a non-empty list of items"
ONE_SOURCE = (
    "Either a backup or schedule must be specified as a source for the restore, but not both"
)
INIT = (
    'invalid init container in restore hook "h": '
    "invalid InitContainer in restore hook, it doesn't have Command, Name or Image field"
)


def found(**spec: Any) -> list[str]:
    spec.setdefault("backup_name", "b")
    return problems(complete(RestoreSpec(**spec)))


def hooks(*containers: dict[str, Any]) -> RestoreHooks:
    init = RestoreHook(init=InitHook(init_containers=list(containers)))
    return RestoreHooks([RestoreHookGroup(name="h", post_hooks=[init])])


def test_what_never_comes_back_is_excluded_once() -> None:
    spec = complete(RestoreSpec(excluded_resources=["events", "pods"]))
    assert spec.excluded_resources == [
        "events",
        "pods",
        *[each for each in NON_RESTORABLE if each != "events"],
    ]
    assert complete(spec) == spec


@pytest.mark.parametrize(
    ("spec", "texts"),
    [
        ({}, []),
        ({"schedule_name": "s", "backup_name": ""}, []),
        (
            {"included_resources": ["nodes"]},
            ["nodes are non-restorable resources", f"{RESOURCES}{IN_BOTH}nodes"],
        ),
        ({"included_resources": ["*", "pods"]}, [f"{RESOURCES}{MIXED}"]),
        ({"excluded_resources": ["*"]}, [f"{RESOURCES}excludes list cannot contain '*'"]),
        (
            {"included_namespaces": ["a"], "excluded_namespaces": ["a"]},
            [f"{NAMESPACES}{IN_BOTH}a"],
        ),
        ({"included_namespaces": ["*", "a"]}, [f"{NAMESPACES}{MIXED}"]),
        ({"excluded_namespaces": ["*"]}, [f"{NAMESPACES}excludes list cannot contain '*'"]),
        ({"included_namespaces": ["Not A Name"]}, []),
        (
            {"label_selector": LabelSelector(), "or_label_selectors": [LabelSelector()]},
            [
                "encountered labelSelector as well as orLabelSelectors in restore spec, "
                "only one can be specified"
            ],
        ),
        ({"backup_name": ""}, [ONE_SOURCE]),
        ({"schedule_name": "s"}, [ONE_SOURCE]),
        (
            {"schedule_name": "s", "existing_resource_policy": "x", "hooks": hooks({})},
            [ONE_SOURCE],
        ),
        ({"existing_resource_policy": "none"}, []),
        ({"existing_resource_policy": "update"}, []),
        ({"existing_resource_policy": ""}, []),
        (
            {"existing_resource_policy": "recreate"},
            ["Invalid ExistingResourcePolicy: recreate"],
        ),
        ({"hooks": hooks({"name": "a", "image": "i"})}, [INIT]),
        ({"hooks": hooks({"name": "a", "command": ["c"]}, {"image": "i"})}, [INIT, INIT]),
        ({"hooks": hooks({"name": "a", "image": "i", "command": ["c"]})}, []),
    ],
)
def test_problems_are_told(spec: dict[str, Any], texts: list[str]) -> None:
    assert found(**spec) == texts


def test_selector_of_hooks_that_makes_no_sense_is_told() -> None:
    selector = LabelSelector(match_expressions=[LabelRequirement(key="a", operator="Like")])
    group = RestoreHookGroup(name="h", label_selector=selector)
    assert found(hooks=RestoreHooks([group])) == [
        'invalid restore hooks: "Like" is not a valid label selector operator'
    ]
