"""Rules of a ConfigMap that change objects: what they say, and what is wrong with them."""

import json
from typing import Any

import pytest

from kedge.engine.restore.modifiers import Modifiers, ModifiersError, problem, read
from kedge.engine.restore.modify import apply_rule, rules_for
from kedge.engine.restore.schemas import schema_of
from kedge.kube.schema import Schema

Object = dict[str, Any]
FAILED = "failed to decode yaml data into resource modifiers, err: "
BOMB = "a0: &a0 [x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)
)
DEEP = "a: " + "[" * 5_000 + "]" * 5_000


def rules(text: str) -> Modifiers:
    return read({"rules.yaml": text}, "velero/m")


def one(patches: str, conditions: str = "groupResource: pods") -> Modifiers:
    return rules(
        f"version: v1\nresourceModifierRules:\n- conditions:\n    {conditions}\n  {patches}\n"
    )


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (None, "illegal resource modifiers velero/m configmap"),
        ({}, "illegal resource modifiers velero/m configmap"),
        ({"a": "x", "b": "y"}, "illegal resource modifiers velero/m configmap"),
        ({"a": "version: v1\nother: 1"}, f"{FAILED}Object contains unknown field `other`"),
        ({"a": "version: [v1]"}, f"{FAILED}Expected `str`, got `array`"),
        ({"a": "version: v1\nversion: v1"}, 'key "version" already set in map'),
        ({"a": "- a"}, FAILED),
        ({"a": "{"}, FAILED),
        ({"a": "1: 2"}, f"{FAILED}Object contains unknown field `1`"),
        ({"a": "[1]: 2"}, FAILED),
        (
            {"a": "resourceModifierRules: [{conditions: {x: 1}}]"},
            f"{FAILED}Object contains unknown field `x`",
        ),
        (
            {"a": "resourceModifierRules: [{patches: [{operation: add, path: /a, value: [1]}]}]"},
            f"{FAILED}Expected `str`, got `array`",
        ),
        ({"a": "!!python/object/apply:os.system ['true']"}, FAILED),
        (
            {"a": "resourceModifierRules: &it [*it]"},
            f"{FAILED}yaml: anchor 'it' value contains itself",
        ),
        ({"a": DEEP}, f"{FAILED}it is nested too deeply"),
        ({"a": BOMB}, f"{FAILED}yaml: document contains excessive aliasing"),
    ],
)
def test_text_that_holds_no_rules_is_refused(data: dict[str, str] | None, why: str) -> None:
    with pytest.raises(ModifiersError) as caught:
        read(data, "velero/m")
    assert why in str(caught.value)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "unsupported resource modifier version "),
        ("version: v2", "unsupported resource modifier version v2"),
        ("version: v1", "resource modifier rules cannot be empty"),
        ("version: v1\nresourceModifierRules: []", "resource modifier rules cannot be empty"),
        (
            "version: V1\nresourceModifierRules: [{conditions: {}}]",
            "groupkResource cannot be empty",
        ),
        (
            "version: v1\nresourceModifierRules:\n- conditions: {groupResource: pods}\n"
            "  patches: [{operation: add, path: /a}]\n  mergePatches: [{patchData: '{}'}]",
            "only one of patches, mergePatches, strategicPatches can be specified",
        ),
        (
            "version: v1\nresourceModifierRules:\n- conditions: {groupResource: pods}\n"
            "  patches: [{path: /a}]",
            "operation cannot be empty",
        ),
        (
            "version: v1\nresourceModifierRules:\n- conditions: {groupResource: pods}\n"
            "  patches: [{operation: add}]",
            "path cannot be empty",
        ),
        (
            "version: v1\nresourceModifierRules:\n- conditions: {groupResource: pods}\n"
            "  patches: [{operation: put, path: /a}]",
            "unsupported operation put",
        ),
        (
            "version: v1\nresourceModifierRules:\n- conditions: {groupResource: pods}\n"
            "  patches: [{operation: Add, path: /a}]",
            "",
        ),
    ],
)
def test_rules_are_checked(text: str, why: str) -> None:
    assert problem(rules(text)) == why


def pod(**metadata: Any) -> Object:
    meta = {"name": "web-1", "namespace": "app", "labels": {"a": "b"}, **metadata}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": {"x": 1, "l": ["a", "b"]}}


@pytest.mark.parametrize(
    ("conditions", "fits"),
    [
        ("groupResource: pods", True),
        ("groupResource: '*'", True),
        ("groupResource: 'p[ao]ds'", True),
        ("groupResource: deployments.apps", False),
        ("groupResource: '*.apps'", False),
        ("{groupResource: pods, namespaces: [app, x]}", True),
        ("{groupResource: pods, namespaces: ['a*']}", True),
        ("{groupResource: pods, namespaces: [x]}", False),
        ("{groupResource: pods, resourceNameRegex: '^web'}", True),
        ("{groupResource: pods, resourceNameRegex: 'eb-[0-9]'}", True),
        ("{groupResource: pods, resourceNameRegex: '^eb'}", False),
        ("{groupResource: pods, labelSelector: {matchLabels: {a: b}}}", True),
        ("{groupResource: pods, labelSelector: {matchLabels: {a: c}}}", False),
        ("{groupResource: pods, matches: [{path: /spec/x, value: '1'}]}", True),
        ("{groupResource: pods, matches: [{path: /spec/x, value: '\"1\"'}]}", False),
        ("{groupResource: pods, matches: [{path: /spec/x, value: 1}]}", True),
        ("{groupResource: pods, resourceNameRegex: 1}", True),
        ("{groupResource: pods, labelSelector: {matchLabels: {a: 1}}}", False),
        ("{groupResource: pods, labelSelector: {matchLabels: {a: }}}", False),
        ("{groupResource: pods, labelSelector: {matchLabels: }}", True),
        ("{groupResource: &it pods, namespaces: [*it, app]}", True),
        ("{groupResource: pods, matches: [{path: /metadata/labels/a, value: b}]}", True),
        ("{groupResource: pods, matches: [{path: /spec/none/x, value: b}]}", False),
        ("{groupResource: pods, matches: [{path: /spec/none, value: b}]}", False),
    ],
)
def test_conditions_choose_objects(conditions: str, fits: bool) -> None:
    found = one("patches: []", conditions=conditions)
    assert bool(list(rules_for(found, "pods", pod()))) is fits


def test_star_does_not_go_beyond_a_dot() -> None:
    found = one("patches: []", conditions="groupResource: '*'")
    assert not list(rules_for(found, "deployments.apps", pod()))


@pytest.mark.parametrize(
    "conditions",
    [
        "{groupResource: pods, resourceNameRegex: '('}",
        "{groupResource: pods, resourceNameRegex: '^[[:alpha:]]+$'}",
        "{groupResource: pods, matches: [{value: x}]}",
        "{groupResource: pods, labelSelector: {matchExpressions: [{key: a, operator: Like}]}}",
    ],
)
def test_conditions_that_make_no_sense_are_told(conditions: str) -> None:
    (found,) = rules_for(one("patches: []", conditions=conditions), "pods", pod())
    assert isinstance(found, ModifiersError)


def test_objects_of_the_cluster_are_in_any_namespace() -> None:
    found = one("patches: []", conditions="{groupResource: nodes, namespaces: [x]}")
    assert list(rules_for(found, "nodes", {"metadata": {"name": "n"}}))


def changed(patches: str, obj: Object | None = None, schema: Schema | None = None) -> Object:
    (rule,) = one(patches).rules
    return apply_rule(rule, obj or pod(), schema)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("text", "text"),
        ("1", 1),
        ("1.5", 1.5),
        ("1.0", 1),
        ("-3e2", -300),
        ("1e400", "1e400"),
        ('{"a": [2.0, 2.5]}', {"a": [2, 2.5]}),
        ("true", True),
        ("False", False),
        ("null", None),
        ('"1"', "1"),
        ('"true"', "true"),
        ('"null"', "null"),
        ('{"a": [1]}', {"a": [1]}),
        ("[1, 2]", [1, 2]),
        ("", ""),
        ("a b: c", "a b: c"),
        ("0x10", "0x10"),
        ("1.2.3", "1.2.3"),
        ('say "hi"', 'say "hi"'),
    ],
)
def test_values_are_read_as_velero_reads_them(value: str, expected: Any) -> None:
    patch = f"patches: [{{operation: add, path: /spec/new, value: {value!r}}}]"
    if '"' in value and "'" not in value:
        patch = f"patches: [{{operation: add, path: /spec/new, value: '{value}'}}]"
    found = changed(patch)["spec"]["new"]
    assert repr(found) == repr(expected)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("7", 7),
        ("1.5", 1.5),
        ("true", True),
        ("yes", True),
        ("off", False),
        ("~", ""),
        ("2026-01-01", "2026-01-01"),
        ("12:30", "12:30"),
        ("1e3", 1000),
        ("0x10", 16),
    ],
)
def test_values_without_quotes_are_taken(value: str, expected: Any) -> None:
    patch = f"patches: [{{operation: add, path: /spec/new, value: {value}}}]"
    assert changed(patch)["spec"]["new"] == expected


@pytest.mark.parametrize(
    ("patch", "spec"),
    [
        ("{operation: replace, path: /spec/x, value: '2'}", {"x": 2, "l": ["a", "b"]}),
        ("{operation: remove, path: /spec/l/0}", {"x": 1, "l": ["b"]}),
        ("{operation: add, path: /spec/l/-, value: c}", {"x": 1, "l": ["a", "b", "c"]}),
        ("{operation: move, from: /spec/x, path: /spec/y}", {"y": 1, "l": ["a", "b"]}),
        ("{operation: copy, from: /spec/x, path: /spec/y}", {"x": 1, "y": 1, "l": ["a", "b"]}),
        ("{operation: Remove, path: /spec/l}", {"x": 1}),
    ],
)
def test_json_patches_are_applied(patch: str, spec: Object) -> None:
    assert changed(f"patches: [{patch}]")["spec"] == spec


def test_test_that_fails_leaves_the_object() -> None:
    patches = "patches: [{operation: remove, path: /spec/x}, %s, {operation: remove, path: /spec}]"
    test = "{operation: test, path: /spec/l/0, value: other}"
    assert changed(patches % test) == pod()


@pytest.mark.parametrize(
    "patch",
    [
        "{operation: replace, path: /spec/none, value: x}",
        "{operation: remove, path: /spec/none}",
        "{operation: copy, from: /none, path: /spec/y}",
        "{operation: move, path: /spec/y}",
        "{operation: add, path: /spec/l/9, value: x}",
        "{operation: add, path: /spec/new, value: '{'}",
        "{operation: test, path: /none/x, value: y}",
        "{operation: replace, path: '', value: '[]'}",
    ],
)
def test_patch_that_does_not_apply_is_told(patch: str) -> None:
    with pytest.raises(ModifiersError):
        changed(f"patches: [{patch}]")


def test_object_is_not_changed_by_a_patch_that_fails() -> None:
    obj = pod()
    (rule,) = one(
        "patches: [{operation: remove, path: /spec/x}, {operation: remove, path: /none}]"
    ).rules
    with pytest.raises(ModifiersError):
        apply_rule(rule, obj, None)
    assert obj == pod()


def test_merge_patches_are_applied_in_order() -> None:
    patches = (
        'mergePatches: [{patchData: \'{"spec": {"x": null, "z": 1}}\'}, '
        "{patchData: 'spec: {z: 2}'}]"
    )
    assert changed(patches)["spec"] == {"z": 2, "l": ["a", "b"]}


def test_keys_of_a_patch_are_texts() -> None:
    found = changed("mergePatches: [{patchData: '{spec: {8080: a, true: b, 1.5: c}}'}]")
    assert found["spec"] == {"x": 1, "l": ["a", "b"], "8080": "a", "true": "b", "1.5": "c"}


def test_values_of_a_patch_are_what_velero_takes_them_for() -> None:
    data = "spec: {x: yes, at: 12:30, day: 2026-01-01, many: 1e3, mode: 0o17}"
    found = changed(f"mergePatches: [{{patchData: {json.dumps(data)}}}]")["spec"]
    assert found == {
        "x": True,
        "l": ["a", "b"],
        "at": "12:30",
        "day": "2026-01-01",
        "many": 1000,
        "mode": 15,
    }
    assert type(found["many"]) is int


def test_a_patch_may_refer_to_a_part_of_itself() -> None:
    data = "{metadata: &m {name: web-2, b: 2}, spec: {<<: *m, b: 3}}"
    found = changed(f"mergePatches: [{{patchData: '{data}'}}]")
    assert found["spec"] == {"x": 1, "l": ["a", "b"], "name": "web-2", "b": 3}


@pytest.mark.parametrize("data", ["[]", "{", "text", "", "spec: &it {a: *it}", BOMB, DEEP])
def test_merge_patch_that_is_no_object_is_told(data: str) -> None:
    with pytest.raises(ModifiersError):
        changed(f"mergePatches: [{{patchData: {json.dumps(data)}}}]")


COMPONENTS: Object = {
    "io.k8s.Pod": {"type": "object", "properties": {"spec": {"$ref": "#/components/schemas/Spec"}}},
    "Spec": {
        "type": "object",
        "properties": {
            "containers": {
                "type": "array",
                "items": {"allOf": [{"$ref": "#/components/schemas/Container"}]},
                "x-kubernetes-patch-strategy": "merge",
                "x-kubernetes-patch-merge-key": "name",
            },
            "args": {"type": "array", "items": {"type": "string"}},
        },
    },
    "Container": {
        "type": "object",
        "properties": {"name": {"type": "string"}, "image": {"type": "string"}},
    },
}


def test_strategic_patches_merge_by_key() -> None:
    schema = schema_of({"$ref": "#/components/schemas/io.k8s.Pod"}, COMPONENTS)
    obj = {
        "apiVersion": "v1",
        "kind": "Pod",
        "spec": {"containers": [{"name": "a", "image": "1"}, {"name": "b"}], "args": ["x"]},
    }
    data = '{"spec": {"containers": [{"name": "a", "image": "2"}], "args": ["y"]}}'
    found = changed(f"strategicPatches: [{{patchData: '{data}'}}]", obj, schema)
    assert sorted(found["spec"]["containers"], key=str) == [
        {"name": "a", "image": "2"},
        {"name": "b"},
    ]
    assert found["spec"]["args"] == ["y"]


def test_strategic_patch_without_a_shape_is_told() -> None:
    with pytest.raises(ModifiersError, match="use mergePatches"):
        changed("strategicPatches: [{patchData: '{}'}]")


def test_rule_without_a_patch_is_told() -> None:
    with pytest.raises(ModifiersError, match="no patch data found"):
        changed("patches: []")


@pytest.mark.parametrize("which", ["mergePatches", "strategicPatches"])
def test_a_patch_that_is_no_yaml_says_what_was_being_done(which: str) -> None:
    found = one(f"{which}: [{{patchData: 'a: ['}}]")
    with pytest.raises(ModifiersError) as caught:
        apply_rule(found.rules[0], {"kind": "Pod"}, Schema())
    assert str(caught.value).startswith("error in applying patch error in converting YAML to JSON ")
