"""The real Helm takes the chart, and what it renders is what `kedge install` applies."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.integration.deploy.chart import (
    CHART,
    KEEP,
    ROOT,
    Helm,
    by_key,
    installed,
    unkept,
    without_kinds,
)

CREDENTIALS = "[default]\naws_access_key_id=key\naws_secret_access_key=\u00e4 'quoted' \"one\"\n"
PEM = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
DIGEST = "sha256:" + "a1" * 32
S3 = {"provider": "aws", "bucket": "backups"}
S3_FLAGS = ["--provider", "aws", "--bucket", "backups"]
CASES: dict[str, tuple[list[str], dict[str, Any]]] = {
    "nothing": ([], {}),
    "another namespace": (["--namespace", "kedge-2"], {}),
    "a namespace that looks like a number": (["--namespace", "123"], {}),
    "an image": (["--image", "r.example:5000/a/kedge:1"], {"image": {
        "repository": "r.example:5000/a/kedge", "tag": "1"}}),
    "a digest": ([f"--image=kedge@{DIGEST}"], {"image": {"repository": "kedge", "digest": DIGEST}}),
    "a tag and a digest": ([f"--image=kedge:2@{DIGEST}"], {"image": {
        "repository": "kedge", "tag": "2", "digest": DIGEST}}),
    "no pods": (["--replicas", "0"], {"replicas": 0}),
    "one pod": (["--replicas", "1"], {"replicas": 1}),
    "several pods": (["--replicas", "3"], {"replicas": 3}),
    "what the server is told": (
        ["--schedule-skip-immediately", "--restore-only", "--disable-controllers=gc,schedule",
         "--concurrent-backups=4", "--garbage-collection-frequency=1h30m"],
        {"server": {"scheduleSkipImmediately": True, "restoreOnly": True,
                    "disableControllers": ["gc", "schedule"], "concurrentBackups": 4,
                    "garbageCollectionFrequency": "1h30m"}},
    ),
    "a bucket": ([*S3_FLAGS, "--no-secret"], {"location": S3}),
    "a bucket with everything": (
        [*S3_FLAGS, "--prefix=a/b", "--secret-file=CREDENTIALS", "--cacert=PEM",
         "--backup-location-config=region=eu-west-1,s3ForcePathStyle=true,number=1"],
        {"location": {**S3, "prefix": "a/b", "caCert": PEM, "config": {
            "region": "eu-west-1", "s3ForcePathStyle": True, "number": 1}},
         "credentials": CREDENTIALS},
    ),
    "a volume": (["--volume-claim=backups"], {"volume": {"claimName": "backups"}}),
    "a folder on a volume": (
        ["--provider=kedge.dev/filesystem", "--bucket=b", "--volume-claim=backups",
         "--backup-location-config=path=/mnt/x", "--download-url=https://x.example:1/y"],
        {"location": {"provider": "kedge.dev/filesystem", "bucket": "b",
                      "config": {"path": "/mnt/x"}},
         "volume": {"claimName": "backups", "downloadUrl": "https://x.example:1/y"}},
    ),
    "an account that is there": (
        ["--service-account-name", "backup.er"],
        {"serviceAccount": {"create": False, "name": "backup.er"}},
    ),
    "metadata": (
        ["--sa-annotations=a=b,c=1", "--pod-annotations=prometheus.io/scrape=false,x=y z",
         "--pod-labels=team=1,b=true", "--server-priority-class-name=high"],
        {"serviceAccount": {"annotations": {"a": "b", "c": "1"}},
         "podAnnotations": {"prometheus.io/scrape": "false", "x": "y z"},
         "podLabels": {"team": "1", "b": "true"}, "priorityClassName": "high"},
    ),
    "amounts": (
        ["--pod-cpu-request=1", "--pod-cpu-limit=2500m", "--pod-mem-request=1Gi",
         "--pod-mem-limit=0", "--pod-ephemeral-storage-request=0"],
        {"resources": {"requests": {"cpu": 1, "memory": "1Gi", "ephemeral-storage": None},
                       "limits": {"cpu": "2500m", "memory": 0}}},
    ),
    "no amounts": (
        ["--pod-cpu-request=0", "--pod-cpu-limit=0", "--pod-mem-request=0", "--pod-mem-limit=0",
         "--pod-ephemeral-storage-request=0"],
        {"resources": {"requests": None, "limits": None}},
    ),
}  # fmt: skip
WRONG: dict[str, tuple[Any, str]] = {
    "replica": (2, "at '': additional properties 'replica' not allowed"),
    "replicas": (-1, "at '/replicas': minimum: got -1, want 0"),
    "image": (
        {"tag": "a b", "repository": "Kedge"},
        "at '/image/repository': 'Kedge' does not match pattern",
    ),
    "location": ({"provider": "nobody"}, "at '/location/provider': value must be one of '', 'aws'"),
    "server": (
        {"disableControllers": ["all"], "concurrentBackups": "many"},
        "at '/server/disableControllers/0': value must be one of",
    ),
    "resources": (
        {"limits": {"cpu": "lots"}, "requests": {"gpu": 1}},
        "at '/resources/limits/cpu': 'lots' does not match pattern",
    ),
    "podLabels": ({"a": "x y"}, "at '/podLabels/a': 'x y' does not match pattern"),
    "priorityClassName": ("A", "at '/priorityClassName': 'A' does not match pattern"),
    "volume": ({"downloadUrl": "x"}, "at '/volume/downloadUrl': 'x' does not match pattern"),
    "crds": ({"install": "no"}, "at '/crds/install': got string, want boolean"),
}
"""Values that can not be, and what is said of them; Helm tells of all at once."""
FOLDER = {"provider": "kedge.dev/filesystem", "bucket": "b"}
APART: list[tuple[dict[str, Any], str]] = [
    ({"location": {"provider": "aws"}}, "location.bucket is required where location.provider is"),
    ({"location": {"bucket": "b"}}, "location.provider is required where location.bucket is set"),
    ({"credentials": "x"}, "location.provider is required where credentials are set"),
    (
        {"location": {**S3, "existingSecret": "x"}, "credentials": "y"},
        "location.existingSecret and credentials exclude each other",
    ),
    ({"location": FOLDER}, "location.provider kedge.dev/filesystem needs volume.claimName"),
    (
        {"location": {**FOLDER, "config": {"path": "/opt/kedge"}}, "volume": {"claimName": "x"}},
        'location.config.path "/opt/kedge" is no folder for backups, or one that',
    ),
    ({"volume": {"downloadUrl": "http://x"}}, "volume.downloadUrl goes with volume.claimName"),
    (
        {"serviceAccount": {"create": False}},
        "serviceAccount.name is required where serviceAccount.create is false",
    ),
    ({"serviceAccount": {"name": "x"}}, 'serviceAccount.name "x" is for an account that is there'),
    (
        {"podLabels": {"app.kubernetes.io/name": "x"}},
        "podLabels: app.kubernetes.io/name is how our objects are found",
    ),
]
"""Values that do not go together."""
NO_KINDS = {"crds": {"install": False}}
MONITORED: dict[str, Any] = {
    "serviceMonitor": {"enabled": True, "labels": {"release": "p"}, "interval": "30s"},
    "prometheusRule": {"enabled": True, "labels": {"release": "p"}},
    "dashboard": {"enabled": True},
    "networkPolicy": {"enabled": True, "from": [{"namespaceSelector": {}}]},
    "replicas": 2,
    "podDisruptionBudget": {"maxUnavailable": "50%"},
}


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """The files that flags name, by the word that stands for them."""
    for name, text in (("CREDENTIALS", CREDENTIALS), ("PEM", PEM)):
        (tmp_path / name).write_text(text, "utf-8")
    return {name: str(tmp_path / name) for name in ("CREDENTIALS", "PEM")}


def test_lint_has_nothing_to_say(helm: Helm) -> None:
    done = helm.run("lint", "--strict", str(CHART))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "[WARNING]" not in done.stdout
    assert "[ERROR]" not in done.stdout


@pytest.mark.parametrize("case", CASES)
def test_the_same_objects_as_install_gives(helm: Helm, files: dict[str, str], case: str) -> None:
    flags, values = CASES[case]
    for word, path in files.items():
        flags = [flag.replace(f"={word}", f"={path}") for flag in flags]
    wanted = without_kinds(installed(*flags))
    (namespace,) = [name for kind, _, name in wanted if kind == "Namespace"]
    values = {**values, "namespace": {"create": True}, "crds": {"install": False}}
    rendered = by_key(helm.template(values, namespace))
    assert unkept(rendered.values()) == wanted


def test_values_that_can_not_be_are_refused_and_named(helm: Helm) -> None:
    done = helm.try_template({name: value for name, (value, _) in WRONG.items()})
    assert done.returncode != 0
    for _, words in WRONG.values():
        assert words in done.stderr


@pytest.mark.parametrize(("values", "words"), APART)
def test_values_that_do_not_go_together_are_refused(
    helm: Helm, values: dict[str, Any], words: str
) -> None:
    done = helm.try_template(values)
    assert done.returncode != 0
    assert words in done.stderr


def test_what_holds_data_stays_when_the_release_goes(helm: Helm) -> None:
    objects = by_key(helm.template({"namespace": {"create": True}, "location": S3}))
    kept = {
        key[0] for key, obj in objects.items() if obj["metadata"].get("annotations", {}).get(KEEP)
    }
    assert kept == {"CustomResourceDefinition", "Namespace", "BackupStorageLocation"}


def test_by_itself_it_gives_all_but_the_namespace(helm: Helm) -> None:
    found, wanted = by_key(helm.template({})), installed()
    del wanted["Namespace", "", "velero"]
    assert unkept(found.values()) == wanted


def test_what_watches_over_it(helm: Helm) -> None:
    found = by_key(helm.template({**MONITORED, **NO_KINDS}))
    monitor, rule = (
        found[kind, "velero", "kedge"] for kind in ("ServiceMonitor", "PrometheusRule")
    )
    ours = {"app.kubernetes.io/name": "kedge"}
    assert monitor["metadata"]["labels"] == rule["metadata"]["labels"] == {**ours, "release": "p"}
    service = found["Service", "velero", "kedge"]
    assert monitor["spec"]["selector"]["matchLabels"] == service["metadata"]["labels"] == ours
    (endpoint,) = monitor["spec"]["endpoints"]
    assert endpoint["port"] in [port["name"] for port in service["spec"]["ports"]]
    alerts = yaml.safe_load((ROOT / "deploy/alerts/kedge.rules.yaml").read_text("utf-8"))
    assert rule["spec"] == alerts
    board = found["ConfigMap", "velero", "kedge-dashboard"]
    assert board["metadata"]["labels"]["grafana_dashboard"] == "1"
    text = (ROOT / "deploy/dashboards/kedge.json").read_text("utf-8")
    assert json.loads(board["data"]["kedge.json"]) == json.loads(text)


def test_who_may_reach_it_and_how_many_stay(helm: Helm) -> None:
    found = by_key(helm.template({**MONITORED, **NO_KINDS, "volume": {"claimName": "x"}}))
    policy = found["NetworkPolicy", "velero", "kedge"]["spec"]
    (rule,) = policy["ingress"]
    (container,) = _pod(found)["containers"]
    assert [port["port"] for port in rule["ports"]] == [p["name"] for p in container["ports"]]
    assert rule["from"] == MONITORED["networkPolicy"]["from"]
    assert policy["policyTypes"] == ["Ingress"]
    budget = found["PodDisruptionBudget", "velero", "kedge"]["spec"]
    assert budget["maxUnavailable"] == "50%"
    values = {"replicas": 2, "podDisruptionBudget": {"enabled": False}, **NO_KINDS}
    without = by_key(helm.template(values))
    assert ("PodDisruptionBudget", "velero", "kedge") not in without


def test_what_only_the_chart_has(helm: Helm) -> None:
    values = {
        "crds": {"install": False},
        "location": {**S3, "existingSecret": "mine", "existingSecretKey": "k"},
        "image": {"pullPolicy": "Always", "pullSecrets": ["registry"]},
        "server": {"extraArgs": ["--log-level=debug"], "extraEnv": [{"name": "A", "value": "1"}]},
        "nodeSelector": {"a": "b"},
        "tolerations": [{"key": "x", "operator": "Exists"}],
        "affinity": {"nodeAffinity": {}},
    }
    found = by_key(helm.template(values))
    assert "CustomResourceDefinition" not in {kind for kind, _, _ in found}
    location = found["BackupStorageLocation", "velero", "default"]
    assert location["spec"]["credential"] == {"name": "mine", "key": "k"}
    pod = _pod(found)
    (container,) = pod["containers"]
    assert container["args"][-1] == "--log-level=debug"
    assert container["env"][-1] == {"name": "A", "value": "1"}
    assert container["imagePullPolicy"] == "Always"
    assert pod["imagePullSecrets"] == [{"name": "registry"}]
    for name in ("nodeSelector", "tolerations", "affinity"):
        assert pod[name] == values[name]


def _pod(objects: dict[Any, Any]) -> Any:
    return objects["Deployment", "velero", "kedge"]["spec"]["template"]["spec"]
