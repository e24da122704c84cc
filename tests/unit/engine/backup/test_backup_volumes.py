import msgspec

from kedge.api.velero.backup import BackupSpec
from kedge.engine.backup.policies import Policies, read_policies
from kedge.engine.backup.volumes import NOT_ASKED, NOT_SAVED, SKIPPED, Volumes
from kedge.kube.kind import Object


def claim(volume: str = "", **labels: str) -> Object:
    return {
        "metadata": {"labels": labels},
        "spec": {"volumeName": volume},
        "status": {"phase": "Bound" if volume else "Pending"},
    }


def persistent(claimed: str = "", **spec: object) -> Object:
    namespace, _, name = claimed.rpartition("/")
    reference = {"claimRef": {"namespace": namespace, "name": name}} if claimed else {}
    policy = {"persistentVolumeReclaimPolicy": "Retain"}
    return {"metadata": {"labels": {"zone": "a"}}, "spec": {**reference, **policy, **spec}}


def volumes(policies: Policies | None = None, **fields: object) -> Volumes:
    return Volumes(msgspec.convert(fields, BackupSpec), policies)


def policy(rules: str) -> Policies:
    text = f"version: v1\nvolumePolicies: {rules}"
    return read_policies({"metadata": {}, "data": {"p": text}})


def test_claims_are_warned_of_once_with_some_names() -> None:
    one = volumes()
    for number in range(12):
        one.add_claim(f"db/data-{number:02}", claim(f"pv-{number}"))
    assert one.warnings() == [
        "the data in the volumes of 12 PersistentVolumeClaims is not saved, only the objects are: "
        "db/data-00, db/data-01, db/data-02, db/data-03, db/data-04 and 7 more; "
        "set spec.snapshotVolumes to false for a backup without data"
    ]


def test_one_claim_without_a_volume_is_warned_of_as_well() -> None:
    one = volumes(snapshotVolumes=True)
    one.add_claim("db/data", claim())
    (text,) = one.warnings()
    assert "the volumes of 1 PersistentVolumeClaim is not saved" in text
    assert one.infos() == []


def test_nobody_is_warned_who_asked_for_no_data() -> None:
    one = volumes(snapshotVolumes=False)
    one.add_claim("db/data", claim("pv-1"))
    assert one.warnings() == []
    assert [info["skippedReason"] for info in one.infos()] == [NOT_ASKED]
    assert volumes().warnings() == []


def test_who_asks_for_files_is_warned_without_snapshots_too() -> None:
    for field in ("defaultVolumesToFsBackup", "defaultVolumesToRestic"):
        one = Volumes(msgspec.convert({"snapshotVolumes": False, field: True}, BackupSpec), None)
        one.add_claim("db/data", claim("pv-1"))
        assert len(one.warnings()) == 1
    one = volumes(snapshotVolumes=False)
    one.asking_pods = 2
    assert "2 pods ask by annotation" in one.warnings()[0]


def test_a_policy_decides_before_the_spec() -> None:
    rules = policy("[{conditions: {pvcLabels: {a: b}}, action: {type: skip}}]")
    one = volumes(rules)
    one.add_claim("db/skipped", claim("pv-1", a="b"))
    one.add_claim("db/other", claim("pv-2"))
    assert "db/other" in one.warnings()[0]
    assert "db/skipped" not in one.warnings()[0]
    assert [info["skippedReason"] for info in one.infos()] == [SKIPPED, NOT_SAVED]
    for action in ("snapshot", "fs-backup", "custom"):
        asking = volumes(policy(f"[{{action: {{type: {action}}}}}]"), snapshotVolumes=False)
        asking.add_claim("db/data", claim("pv-1"))
        assert len(asking.warnings()) == 1


def test_a_policy_looks_at_the_volume_of_a_claim() -> None:
    rules = policy("[{conditions: {nfs: {server: s}}, action: {type: skip}}]")
    one = volumes(rules)
    one.add_claim("db/data", claim("pv-1"))
    one.add_volume("pv-1", persistent("db/data", nfs={"server": "s", "path": "/"}))
    assert one.warnings() == []


def test_infos_tell_of_volumes_in_order() -> None:
    one = volumes()
    one.add_volume("pv-3", persistent())
    one.add_volume("pv-2", persistent("db/other"))
    one.add_claim("db/data", claim("pv-1"))
    assert one.infos() == [
        {
            "pvcName": "data",
            "pvcNamespace": "db",
            "pvName": "pv-1",
            "snapshotDataMoved": False,
            "preserveLocalSnapshot": False,
            "skipped": True,
            "skippedReason": NOT_SAVED,
        },
        {
            "pvcName": "other",
            "pvcNamespace": "db",
            "pvName": "pv-2",
            "snapshotDataMoved": False,
            "preserveLocalSnapshot": False,
            "skipped": True,
            "skippedReason": NOT_SAVED,
            "pvInfo": {"reclaimPolicy": "Retain", "labels": {"zone": "a"}},
        },
        {
            "pvName": "pv-3",
            "snapshotDataMoved": False,
            "preserveLocalSnapshot": False,
            "skipped": True,
            "skippedReason": NOT_SAVED,
            "pvInfo": {"reclaimPolicy": "Retain", "labels": {"zone": "a"}},
        },
    ]
