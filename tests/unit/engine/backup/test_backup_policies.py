import pytest

from kedge.engine.backup.policies import (
    Claim,
    Policies,
    PolicyError,
    ResourceRules,
    Volume,
    VolumeAction,
    bounds,
    read_policies,
)
from kedge.kube.kind import Object
from kedge.kube.quantity import parse_quantity


def policies(text: str) -> Policies:
    return read_policies({"metadata": {"namespace": "velero", "name": "p"}, "data": {"p": text}})


def rule(conditions: str, action: str = "skip") -> Policies:
    return policies(
        f"version: v1\nvolumePolicies:\n- conditions: {conditions}\n  action: {{type: {action}}}\n"
    )


def volume(**spec: object) -> Volume:
    return Volume.of({"spec": {"capacity": {"storage": "10Gi"}, **spec}})


NFS = volume(nfs={"server": "s", "path": "/p"})
CSI = volume(csi={"driver": "d", "volumeAttributes": {"a": "b", "c": "d"}})
CLAIM = Claim.of(
    {
        "metadata": {"labels": {"app": "db", "x": "y"}},
        "spec": {"volumeMode": "Block", "accessModes": ["ReadWriteOnce", "ReadOnlyMany"]},
        "status": {"phase": "Bound"},
    }
)


@pytest.mark.parametrize(
    ("conditions", "facts", "expected"),
    [
        ("{}", volume(), True),
        ("{capacity: '1Gi,20Gi'}", volume(), True),
        ("{capacity: '10Gi,10Gi'}", volume(), True),
        ("{capacity: '11Gi,20Gi'}", volume(), False),
        ("{capacity: ',5Gi'}", volume(), False),
        ("{capacity: ',10Gi'}", volume(), True),
        ("{capacity: '5Gi,'}", volume(), True),
        ("{capacity: '11Gi,'}", volume(), False),
        ("{capacity: ' 5Gi , 11Gi '}", volume(), True),
        ("{storageClass: [fast]}", volume(storageClassName="fast"), True),
        ("{storageClass: [slow]}", volume(storageClassName="fast"), False),
        ("{storageClass: [slow]}", volume(), False),
        ("{nfs: {}}", NFS, True),
        ("{nfs: {}}", CSI, False),
        ("{nfs: {server: s}}", NFS, True),
        ("{nfs: {server: t}}", NFS, False),
        ("{nfs: {path: /p}}", NFS, True),
        ("{nfs: {server: s, path: /q}}", NFS, False),
        ("{csi: {}}", CSI, True),
        ("{csi: {}}", NFS, False),
        ("{csi: {driver: d}}", CSI, True),
        ("{csi: {driver: e}}", CSI, False),
        ("{csi: {driver: d, volumeAttributes: {a: b}}}", CSI, True),
        ("{csi: {driver: d, volumeAttributes: {a: c}}}", CSI, False),
        ("{volumeTypes: [nfs, csi]}", CSI, True),
        ("{volumeTypes: [hostPath]}", CSI, False),
        ("{volumeTypes: [storageOS]}", volume(storageos={}), True),
        ("{pvcLabels: {app: db}}", volume(), True),
        ("{pvcLabels: {app: web}}", volume(), False),
        ("{pvcPhase: [Bound]}", volume(), True),
        ("{pvcPhase: [Pending]}", volume(), False),
        ("{pvcVolumeMode: Block}", volume(), True),
        ("{pvcVolumeMode: Filesystem}", volume(), False),
        ("{pvcVolumeMode: ''}", volume(), True),
        ("{pvcAccessModes: [ReadOnlyMany, ReadWriteOnce]}", volume(), True),
        ("{pvcAccessModes: [ReadWriteOnce]}", volume(), False),
        ("{pvcAccessModes: [ReadWriteOnce, ReadWriteOnce]}", volume(), False),
        ("{pvcAccessModes: [ReadWriteOnce, ReadOnlyMany, ReadWriteMany]}", volume(), False),
        ("{pvcAccessModes: []}", volume(), True),
        ("{pvcPhase: [Bound], pvcVolumeMode: Filesystem}", volume(), False),
        ("{storageClass: [fast], pvcLabels: {app: db}}", volume(), False),
    ],
)
def test_conditions(conditions: str, facts: Volume, expected: bool) -> None:
    found = rule(conditions).action(facts, CLAIM)
    assert (found == VolumeAction.SKIP) is expected


VELEROS = {"mode": "16", "size": "1000", "release": "1.1"}
"""What Velero makes of 0x10, 1e3 and 1.10."""


@pytest.mark.parametrize(
    ("conditions", "labels"),
    [
        ("{pvcLabels: {backup: true}}", {"backup": "true"}),
        ("{pvcLabels: {backup: yes}}", {"backup": "yes"}),
        ("{pvcLabels: {tier: 1, 8080: web}}", {"tier": "1", "8080": "web"}),
        ("{pvcLabels: {mode: 0x10, size: 1e3, release: 1.10}}", VELEROS),
        ("{pvcLabels: {at: 12-30, day: 2026-01-01}}", {"at": "12-30", "day": "2026-01-01"}),
        ("{pvcLabels: {empty: }}", {"empty": ""}),
        ("{pvcLabels: {pvcVolumeMode: 1}}", {"pvcVolumeMode": "1"}),
        ("{storageClass: [1]}", {}),
    ],
)
def test_values_without_quotes_are_texts(conditions: str, labels: dict[str, str]) -> None:
    found = rule(conditions).action(volume(storageClassName="1"), Claim("Bound", labels))
    assert found == VolumeAction.SKIP


def test_a_label_that_must_be_empty_is_asked_for() -> None:
    assert rule("{pvcLabels: {empty: }}").action(volume(), Claim("Bound")) is None


def test_rules_may_refer_to_parts_of_one_another() -> None:
    found = policies(
        """
        version: v1
        volumePolicies:
        - conditions: &fast {storageClass: [fast], pvcPhase: [Bound]}
          action: &skip {type: skip}
        - conditions: {<<: *fast, storageClass: [slow]}
          action: *skip
        """
    )
    assert found.action(volume(storageClassName="fast"), Claim("Bound")) == VolumeAction.SKIP
    assert found.action(volume(storageClassName="slow"), Claim("Bound")) == VolumeAction.SKIP
    assert found.action(volume(storageClassName="slow"), Claim("Pending")) is None


BOMB = "a0: &a0 [x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)
)


def test_the_first_rule_that_is_met_counts() -> None:
    both = policies(
        """
        version: v1
        volumePolicies:
        - conditions: {storageClass: [fast]}
          action: {type: snapshot}
        - conditions: {}
          action: {type: fs-backup, parameters: {a: 1}}
        """
    )
    assert both.action(volume(storageClassName="fast"), None) == VolumeAction.SNAPSHOT
    assert both.action(volume(), None) == VolumeAction.FILES
    assert Policies().action(volume(), None) is None


def test_a_claim_without_a_volume_is_judged_by_itself() -> None:
    assert rule("{pvcPhase: [Pending]}").action(None, Claim("Pending")) == VolumeAction.SKIP
    assert rule("{pvcLabels: {a: b}}").action(None, Claim(labels={"a": "b"})) == VolumeAction.SKIP
    assert rule("{csi: {}}").action(None, Claim()) is None


def test_what_a_claim_does_not_say_is_not_met() -> None:
    assert rule("{pvcVolumeMode: Block}").action(volume(), Claim.of({})) is None
    assert rule("{pvcAccessModes: [ReadWriteOnce]}").action(volume(), Claim.of({})) is None
    assert rule("{pvcVolumeMode: Block}").action(None, Claim(mode="Block")) == VolumeAction.SKIP
    assert rule("{pvcVolumeMode: Block}").action(volume(), None) is None


def test_rules_for_resources() -> None:
    found = policies(
        """
        version: v1
        includeExcludePolicy:
          includedClusterScopedResources: [crd]
          excludedClusterScopedResources: [pv]
          includedNamespaceScopedResources: [cm]
          excludedNamespaceScopedResources: [secrets, po]
        """
    )
    assert found.resources == ResourceRules(("crd",), ("pv",), ("cm",), ("secrets", "po"))
    assert policies("version: v1").resources is None


DECODE = "failed to decode yaml data into resource policies  "


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("version: v2", "incompatible version number v2 with supported version v1"),
        ("", "incompatible version number  with supported version v1"),
        ("version: v1\nother: 1", DECODE),
        ("version: v1\nversion: v1", DECODE + "yaml: unmarshal errors: line 2: key"),
        ("a: &a [*a]", DECODE + "yaml: anchor 'a' value contains itself"),
        (BOMB, DECODE + "yaml: document contains excessive aliasing"),
        ("a: " + "[" * 5_000 + "]" * 5_000, DECODE + "it is nested too deeply"),
        ("[", DECODE),
        ("- a", DECODE),
        ("version: [v1]", DECODE),
        ("\x00", DECODE),
        ("version: v1\nvolumePolicies: [{action: {type: move}}]", "invalid action type move"),
        ("version: v1\nvolumePolicies: [{}]", "invalid action type "),
        (
            "version: v1\nvolumePolicies: [{conditions: {size: 1}, action: {type: skip}}]",
            "failed to decode volume conditions: ",
        ),
        (
            "version: v1\nvolumePolicies: [{conditions: {pvcLabels: [a]}, action: {type: skip}}]",
            "pvcLabels must be a map of string to string, got []interface {}",
        ),
        (
            "version: v1\nvolumePolicies: [{conditions: {pvcLabels: }, action: {type: skip}}]",
            "pvcLabels must be a map of string to string, got <nil>",
        ),
        (
            "version: v1\nvolumePolicies: [{conditions: {capacity: '1'}, action: {type: skip}}]",
            "wrong format of Capacity 1",
        ),
        (
            "version: v1\nvolumePolicies: [{conditions: {capacity: 'a,b'}, action: {type: skip}}]",
            "wrong format of Capacity a,b with err ",
        ),
        (
            "version: v1\nvolumePolicies: [{conditions: {capacity: '2Gi,1Gi'}, "
            "action: {type: skip}}]",
            "illegal values for capacity 2Gi,1Gi",
        ),
        (
            "version: v1\nvolumePolicies: [{conditions: {csi: {volumeAttributes: {a: b}}}, "
            "action: {type: skip}}]",
            "csi driver should not be empty when filtering by volume attributes",
        ),
        (
            "version: v1\nincludeExcludePolicy: {includedClusterScopedResources: ['*']}",
            "cannot use '*' in includes or excludes filters in the policy",
        ),
        (
            "version: v1\nincludeExcludePolicy: {excludedNamespaceScopedResources: ['*']}",
            "cannot use '*' in includes or excludes filters in the policy",
        ),
        (
            "version: v1\nincludeExcludePolicy: {includedNamespaceScopedResources: [a], "
            "excludedNamespaceScopedResources: [a]}",
            "excludes list cannot contain an item in the includes list: a",
        ),
    ],
)
def test_rules_that_can_not_be_followed_are_refused(text: str, expected: str) -> None:
    with pytest.raises(PolicyError) as refused:
        policies(text)
    assert str(refused.value).startswith(expected)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("pvcVolumeMode: true", "pvcVolumeMode must be a string, got bool"),
        ("pvcVolumeMode: 1", "pvcVolumeMode must be a string, got int"),
        ("pvcVolumeMode: ", "pvcVolumeMode must be a string, got <nil>"),
        ("pvcVolumeMode: [Block]", "pvcVolumeMode must be a string, got []interface {}"),
        ("pvcAccessModes: RWO", "pvcAccessModes must be a list of strings, got string"),
        ("pvcAccessModes: ", "pvcAccessModes must be a list of strings, got <nil>"),
        (
            "pvcAccessModes: {a: b}",
            "pvcAccessModes must be a list of strings, got map[string]interface {}",
        ),
        (
            "pvcAccessModes: [a, 1.5]",
            "pvcAccessModes must be a list of strings, got element float64",
        ),
    ],
)
def test_conditions_of_claims_that_are_of_the_wrong_type_are_refused(
    condition: str, expected: str
) -> None:
    with pytest.raises(PolicyError) as refused:
        rule(f"{{{condition}}}")
    assert str(refused.value) == expected


@pytest.mark.parametrize("data", [None, {}, {"a": "version: v1", "b": "version: v1"}])
def test_a_config_map_has_one_entry(data: Object | None) -> None:
    with pytest.raises(PolicyError, match="illegal resource policies velero/p configmap"):
        read_policies({"metadata": {"namespace": "velero", "name": "p"}, "data": data})


def test_bounds_that_are_missing_are_zero() -> None:
    assert bounds("") == (parse_quantity("0"), parse_quantity("0"))
    assert bounds("1Gi,") == (parse_quantity("1Gi"), parse_quantity("0"))


def test_a_volume_with_a_strange_capacity_has_none() -> None:
    assert Volume.of({"spec": {"capacity": {"storage": "much"}}}).capacity == parse_quantity("0")
    assert Volume.of({}).type == ""
