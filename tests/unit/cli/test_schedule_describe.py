from typing import Any

from kedge.cli.schedule.describe import description
from tests.unit.cli.conftest import NOW


def schedule(**parts: Any) -> dict[str, Any]:
    meta = {"name": "nightly", "namespace": "velero", "creationTimestamp": "2026-03-01T00:00:00Z"}
    spec = {"schedule": "@daily", "template": {}}
    return {
        "metadata": meta | parts.get("metadata", {}),
        "spec": spec | parts.get("spec", {}),
        "status": parts.get("status", {}),
    }


def text_of(**parts: Any) -> str:
    # Go pads the empty lines of a part that is indented; no editor keeps them in a test.
    shown = description(schedule(**parts), NOW)
    return "".join(f"{line.rstrip()}\n" for line in shown.splitlines())


PLAIN = """\
Name:         nightly
Namespace:    velero
Labels:       <none>
Annotations:  <none>

Phase:  New

Paused:  false

Schedule:  @daily

Backup Template:
  Namespaces:
    Included:  *
    Excluded:  <none>

  Resources:
    Included cluster-scoped:    <none>
    Excluded cluster-scoped:    <none>
    Included namespace-scoped:  *
    Excluded namespace-scoped:  <none>

  Label selector:  <none>

  Or label selector:  <none>

  Storage Location:

  Velero-Native Snapshot PVs:  auto
  Snapshot Move Data:          auto
  Data Mover:                  velero

  TTL:  0s

  CSISnapshotTimeout:    0s
  ItemOperationTimeout:  0s

  Hooks:  <none>

Last Backup:  <never>

Next Run:          2026-03-02 00:00:00 +0000 UTC (25d 12h ago)
Last Skipped:      <never>
Skip Immediately:  <as the server says>
"""


def test_a_schedule_that_nobody_has_looked_at() -> None:
    fresh = {"creationTimestamp": "2026-03-27T11:00:00Z"}
    expected = PLAIN.replace(
        "2026-03-02 00:00:00 +0000 UTC (25d 12h ago)", "2026-03-28 00:00:00 +0000 UTC (in 12h)"
    )
    assert text_of(metadata=fresh) == expected


def test_lines_of_the_template_are_padded_as_go_does_it() -> None:
    assert "    Excluded:  <none>\n  \n  Resources:\n" in description(schedule(), NOW)


HOOK = {"exec": {"container": "db", "command": ["pg", "stop"], "onError": "Fail", "timeout": "30s"}}
FULL = """\
Name:         nightly
Namespace:    velero
Labels:       a=b
              c=d
Annotations:  kedge.dev/dst=once
              kedge.dev/jitter=90s
              kedge.dev/missed-runs=skip
              kedge.dev/pause-until=2026-04-01T00:00:00Z
              kedge.dev/skip-immediately=always
              kedge.dev/starting-deadline=10m

Phase:  FailedValidation

Resource policies:
  Type:  configmap
  Name:  rules

Uploader config:
  Parallel files upload:  4

Validation errors:  one
                    two

Paused:  true

Schedule:  @daily

Backup Template:
  Namespaces:
    Included:  a, b
    Excluded:  c

  Resources:
    Included:        pods
    Excluded:        <none>
    Cluster-scoped:  excluded

  Label selector:  app in (x,y),tier=db

  Or label selector:  a=b or c=d

  Storage Location:  s3

  Velero-Native Snapshot PVs:    false
  File System Backup (Default):  true
  Snapshot Move Data:            true
  Data Mover:                    mine

  TTL:  720h0m0s

  CSISnapshotTimeout:    10m0s
  ItemOperationTimeout:  4h0m0s

  Hooks:
    Resources:
      freeze:
        Namespaces:
          Included:  db
          Excluded:  <none>

        Resources:
          Included:  *
          Excluded:  <none>

        Label selector:  <none>

        Pre Exec Hook:
          Container:  db
          Command:    pg stop
          On Error:   Fail
          Timeout:    30s

        Post Exec Hook:
          Container:  db
          Command:    pg stop
          On Error:   Fail
          Timeout:    30s

  OrderedResources:
    pods: ns/a,ns/b

Last Backup:  2026-03-27 09:00:00 +0000 UTC

Next Run:          2026-03-28 00:00:00 +0000 UTC (in 12h)
Last Skipped:      2026-03-26 00:00:00 +0000 UTC
Skip Immediately:  false

Kedge Options:
  Missed Runs:        skip
  Starting Deadline:  10m
  DST:                once
  Jitter:             up to 1m 30s
  Pause Until:        2026-04-01 00:00:00 +0000 UTC
  Skip Immediately:   always

Conditions:
  Type   Status  Reason  Since                          Message
  Ready  False   Paused  2026-03-27 10:00:00 +0000 UTC  the schedule is paused
"""


def test_all_there_is_to_tell() -> None:
    template = {
        "includedNamespaces": ["a", "b"],
        "excludedNamespaces": ["c"],
        "includedResources": ["pods"],
        "includeClusterResources": False,
        "labelSelector": {
            "matchLabels": {"tier": "db"},
            "matchExpressions": [{"key": "app", "operator": "In", "values": ["y", "x"]}],
        },
        "orLabelSelectors": [{"matchLabels": {"a": "b"}}, {"matchLabels": {"c": "d"}}],
        "storageLocation": "s3",
        "snapshotVolumes": False,
        "defaultVolumesToFsBackup": True,
        "snapshotMoveData": True,
        "datamover": "mine",
        "ttl": "720h",
        "csiSnapshotTimeout": "10m",
        "itemOperationTimeout": "4h",
        "hooks": {
            "resources": [
                {"name": "freeze", "includedNamespaces": ["db"], "pre": [HOOK], "post": [HOOK]}
            ]
        },
        "orderedResources": {"pods": "ns/a,ns/b"},
        "resourcePolicy": {"kind": "configmap", "name": "rules"},
        "uploaderConfig": {"parallelFilesUpload": 4},
    }
    annotations = {
        "kedge.dev/dst": "once",
        "kedge.dev/jitter": "90s",
        "kedge.dev/missed-runs": "skip",
        "kedge.dev/pause-until": "2026-04-01T00:00:00Z",
        "kedge.dev/skip-immediately": "always",
        "kedge.dev/starting-deadline": "10m",
    }
    ready = {
        "type": "Ready",
        "status": "False",
        "reason": "Paused",
        "message": "the schedule is paused",
        "lastTransitionTime": "2026-03-27T10:00:00Z",
    }
    shown = text_of(
        metadata={"labels": {"c": "d", "a": "b"}, "annotations": annotations},
        spec={"template": template, "paused": True, "skipImmediately": False},
        status={
            "phase": "FailedValidation",
            "validationErrors": ["one", "two"],
            "lastBackup": "2026-03-27T09:00:00Z",
            "lastSkipped": "2026-03-26T00:00:00Z",
            "nextRun": "2026-03-28T00:00:00Z",
            "conditions": [ready],
        },
    )
    assert shown == FULL


def test_a_paused_schedule_has_no_next_run() -> None:
    assert "Next Run:          <none>\n" in text_of(spec={"paused": True})


def test_options_that_are_wrong_are_told() -> None:
    shown = text_of(metadata={"annotations": {"kedge.dev/dst": "twice", "kedge.dev/zone": "x"}})
    assert '  Problem:  annotation kedge.dev/dst: "twice" is not known;' in shown
    assert "  Problem:  annotation kedge.dev/zone is not known and has no effect;" in shown


def test_texts_of_others_can_not_break_the_lines() -> None:
    shown = text_of(metadata={"annotations": {"a": "x\ny\tz\x1b[31m"}})
    assert "Annotations:  a=x\\ny\\tz\\x1b[31m\n" in shown


def test_what_velero_writes_for_nothing_is_read_as_nothing() -> None:
    empty: dict[str, Any] = {"ttl": "0s", "hooks": {}, "metadata": {}, "includedNamespaces": None}
    shown = text_of(spec={"template": empty}, status={"lastBackup": None, "phase": ""})
    assert shown == text_of()
