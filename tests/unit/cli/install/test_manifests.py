"""The objects of an installation: all there, valid, restricted, and the same at every call."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import click
import pytest

from kedge import __version__
from kedge.apiserver.builtin.podsecurity.evaluate import violations
from kedge.apiserver.builtin.podsecurity.policy import policy_of
from kedge.cli.install.manifests import manifests
from kedge.cli.install.rights import RIGHTS
from kedge.cli.install.settings import InstallSettings, Location, ServerFlags, Share
from kedge.cli.install.text import as_text
from kedge.cli.install.workload import GROUP
from kedge.cli.operator.settings import IMAGE, RESTORE_ONLY, OperatorSettings
from kedge.cli.server import server, settings_of
from kedge.kube.kind import Object
from kedge.kube.metadata import validate_annotations, validate_labels

FULL = InstallSettings(
    namespace="harbour",
    image="registry.example/kedge@sha256:" + "0" * 64,
    replicas=3,
    server=ServerFlags(
        schedule_skip_immediately=True,
        restore_only=True,
        disabled_controllers="prescaled",
        concurrent_backups=4,
        gc_frequency="30m",
    ),
    location=Location("aws", "ours", "cluster-1", {"region": "eu-west-1"}, "UEVN"),
    credentials=b"[default]\n",
    account_annotations={"eks.amazonaws.com/role-arn": "arn"},
    pod_annotations={"prometheus.io/scrape": "false", "team": "storage"},
    pod_labels={"team": "storage"},
    priority_class="high",
    share=Share("0", "0m", "0", "1Gi", "0"),
)
FOLDER = InstallSettings(
    location=Location("kedge.dev/filesystem", "ours"), volume_claim="disk", replicas=2
)
ALL = [InstallSettings(), FULL, FOLDER]


def of_kind(settings: InstallSettings, kind: str) -> list[Object]:
    return [obj for obj in manifests(settings) if obj["kind"] == kind]


def one(settings: InstallSettings, kind: str) -> Object:
    """Give the object of a kind that is for the server: others are for people."""
    (found,) = [
        obj
        for obj in of_kind(settings, kind)
        if not obj["metadata"]["name"].startswith(("kedge-nonadmin", "kedge-prescaled"))
    ]
    return found


def pod_of(settings: InstallSettings) -> dict[str, Any]:
    template: dict[str, Any] = one(settings, "Deployment")["spec"]["template"]
    return template


def labels_of(settings: InstallSettings) -> list[str]:
    """Name all objects but the kinds, in their order."""
    return [
        f"{obj['kind']}/{obj['metadata']['name']}"
        for obj in manifests(settings)
        if obj["kind"] != "CustomResourceDefinition"
    ]


RIGHTS_OF_PEOPLE = [
    "ClusterRole/kedge-nonadmin-edit",
    "ClusterRole/kedge-nonadmin-view",
    "ClusterRole/kedge-prescaled-edit",
    "ClusterRole/kedge-prescaled-view",
    "Role/kedge-nonadmin-policy",
    "RoleBinding/kedge-nonadmin-policy",
]


def test_kinds_come_first_and_the_server_last() -> None:
    kinds = [obj["kind"] for obj in manifests(InstallSettings())]
    first = kinds.index("Namespace")
    assert set(kinds[:first]) == {"CustomResourceDefinition"}
    assert "CustomResourceDefinition" not in kinds[first:]
    assert labels_of(InstallSettings()) == [
        "Namespace/velero",
        "ServiceAccount/kedge",
        "Role/kedge",
        "RoleBinding/kedge",
        "ClusterRole/kedge",
        "ClusterRoleBinding/kedge",
        *RIGHTS_OF_PEOPLE,
        "Service/kedge",
        "Deployment/kedge",
    ]


def test_a_location_comes_before_the_server_and_after_its_secret() -> None:
    assert labels_of(FULL)[-5:] == [
        "Secret/cloud-credentials",
        "BackupStorageLocation/default",
        "Service/kedge",
        "PodDisruptionBudget/kedge",
        "Deployment/kedge",
    ]


def test_the_location_is_the_default_and_names_the_secret() -> None:
    (secret,) = of_kind(FULL, "Secret")
    assert secret["data"] == {"cloud": "W2RlZmF1bHRdCg=="}
    assert one(FULL, "BackupStorageLocation")["spec"] == {
        "provider": "aws",
        "default": True,
        "objectStorage": {"bucket": "ours", "prefix": "cluster-1", "caCert": "UEVN"},
        "config": {"region": "eu-west-1"},
        "credential": {"name": "cloud-credentials", "key": "cloud"},
    }
    without = InstallSettings(location=Location("gcp", "b"))
    assert of_kind(without, "Secret") == []
    assert one(without, "BackupStorageLocation")["spec"] == {
        "provider": "gcp",
        "default": True,
        "objectStorage": {"bucket": "b"},
    }


def test_no_setting_shows_the_credentials() -> None:
    assert "default" not in repr(InstallSettings(credentials=b"default"))


@pytest.mark.parametrize(
    ("config", "path"), [({}, "/objects"), ({"path": "/mnt/backups"}, "/mnt/backups")]
)
def test_a_volume_is_where_the_server_looks_for_its_folders(
    config: dict[str, str], path: str
) -> None:
    location = Location("kedge.dev/filesystem", "ours", config=config)
    settings = replace(FOLDER, location=location)
    spec = pod_of(settings)["spec"]
    (container,) = spec["containers"]
    assert spec["volumes"][1]["persistentVolumeClaim"] == {"claimName": "disk"}
    assert container["volumeMounts"][1]["mountPath"] == path
    told = told_to(settings)
    assert told.engine.objects_folder == Path(path)
    numbers = {port["name"]: port["containerPort"] for port in container["ports"]}
    assert told.engine.download_port == numbers["downloads"]
    (metrics, downloads) = one(settings, "Service")["spec"]["ports"]
    assert told.engine.download_url == f"http://kedge.$(KEDGE_NAMESPACE).svc:{downloads['port']}"
    assert (metrics["targetPort"], downloads["targetPort"]) == ("metrics", "downloads")
    strategy = one(settings, "Deployment")["spec"]["strategy"]["rollingUpdate"]
    assert strategy == {"maxSurge": 0, "maxUnavailable": 1}


def test_downloads_can_have_another_address() -> None:
    settings = replace(FOLDER, download_url="https://backups.example")
    assert told_to(settings).engine.download_url == "https://backups.example"


@pytest.mark.parametrize(("replicas", "budgets"), [(None, 0), (0, 0), (1, 0), (2, 1), (3, 1)])
def test_pods_that_stand_by_are_not_taken_away_all_at_once(
    replicas: int | None, budgets: int
) -> None:
    found = of_kind(InstallSettings(replicas=replicas), "PodDisruptionBudget")
    assert len(found) == budgets
    for budget in found:
        assert budget["spec"]["maxUnavailable"] == 1
        assert budget["spec"]["selector"] == one(FULL, "Deployment")["spec"]["selector"]


@pytest.mark.parametrize("settings", ALL)
def test_the_same_settings_give_the_same_text(settings: InstallSettings) -> None:
    for output in ("yaml", "json"):
        assert as_text(manifests(settings), output) == as_text(manifests(settings), output)


def test_no_object_shares_a_part_with_another() -> None:
    first, second = manifests(FULL), manifests(FULL)
    first[-1]["metadata"]["labels"]["spoiled"] = "yes"
    first[-1]["spec"]["selector"]["matchLabels"]["spoiled"] = "yes"
    assert manifests(FULL) == second


@pytest.mark.parametrize("settings", ALL)
def test_labels_annotations_and_names_are_valid(settings: InstallSettings) -> None:
    for obj in [*manifests(settings), pod_of(settings)]:
        meta = obj["metadata"]
        assert validate_labels(meta.get("labels", {}), "labels") == []
        assert validate_annotations(meta.get("annotations", {}), "annotations") == []


@pytest.mark.parametrize("settings", ALL)
def test_the_namespace_wants_restricted_pods_and_ours_is_one(settings: InstallSettings) -> None:
    policy = policy_of(one(settings, "Namespace")["metadata"]["labels"])
    pod = pod_of(settings)
    for standard in (policy.enforce, policy.warn):
        assert standard.level == "restricted"
        assert violations(standard, pod["metadata"], pod["spec"]) == ""


def test_the_check_of_pod_security_can_fail() -> None:
    policy = policy_of(one(FULL, "Namespace")["metadata"]["labels"])
    pod = pod_of(FULL)
    del pod["spec"]["containers"][0]["securityContext"]["capabilities"]
    assert "capabilities" in violations(policy.enforce, pod["metadata"], pod["spec"])


def test_a_volume_can_be_written_by_the_user_of_the_image() -> None:
    assert pod_of(FOLDER)["spec"]["securityContext"]["fsGroup"] == GROUP
    assert "fsGroup" not in pod_of(FULL)["spec"]["securityContext"]


def test_the_container_can_write_nothing_but_its_scratch_folder() -> None:
    spec = pod_of(InstallSettings())["spec"]
    (container,) = spec["containers"]
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    assert [mount["mountPath"] for mount in container["volumeMounts"]] == ["/tmp"]
    assert spec["enableServiceLinks"] is False


def test_the_selector_finds_the_pods_whatever_labels_they_get() -> None:
    found = one(FULL, "Deployment")["spec"]["selector"]["matchLabels"]
    labels = pod_of(FULL)["metadata"]["labels"]
    assert found.items() <= labels.items()
    assert labels["team"] == "storage"


def told_to(settings: InstallSettings) -> OperatorSettings:
    """Have the server read the arguments of its container."""
    (container,) = pod_of(settings)["spec"]["containers"]
    name, *arguments = container["args"]
    assert name == "server"
    context = server.make_context("server", list(arguments), resilient_parsing=False)
    return settings_of(context.params)


@pytest.mark.parametrize("settings", ALL)
def test_the_server_understands_its_arguments(
    settings: InstallSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    pod = pod_of(settings)["spec"]
    (container,) = pod["containers"]
    (variable,) = container["env"]
    assert variable["valueFrom"] == {"fieldRef": {"fieldPath": "metadata.namespace"}}
    monkeypatch.setenv(variable["name"], settings.namespace)
    told = told_to(settings)
    assert told.namespace == settings.namespace
    assert told.schedules.skip_immediately is settings.server.schedule_skip_immediately
    assert told.engine.concurrent_backups == (settings.server.concurrent_backups or 1)
    assert told.prescaled.image == settings.image
    assert told.leader is not None
    assert told.leader.namespace == settings.namespace
    port = container["ports"][0]
    assert told.serving.port == port["containerPort"]
    for probe in ("livenessProbe", "readinessProbe"):
        assert container[probe]["httpGet"]["port"] == port["name"]
    assert pod["terminationGracePeriodSeconds"] > told.manager.stop_seconds


def test_what_the_server_is_told_of_its_work_reaches_it() -> None:
    told = told_to(FULL)
    assert told.disabled == RESTORE_ONLY | {"prescaled"}
    assert told.engine.gc_frequency == timedelta(minutes=30)
    assert told_to(InstallSettings()).disabled == frozenset()


def test_the_server_refuses_arguments_that_it_does_not_have() -> None:
    with pytest.raises(click.NoSuchOption):
        server.make_context("server", ["--not-there"])


def test_the_image_is_that_of_this_version_unless_told() -> None:
    (container,) = pod_of(InstallSettings())["spec"]["containers"]
    assert container["image"] == IMAGE
    assert container["image"].endswith(f":{__version__}")


def test_replicas_are_left_to_the_cluster_unless_told() -> None:
    assert "replicas" not in one(InstallSettings(), "Deployment")["spec"]
    assert one(FULL, "Deployment")["spec"]["replicas"] == 3
    assert one(InstallSettings(replicas=0), "Deployment")["spec"]["replicas"] == 0


def test_an_amount_of_nothing_is_left_out() -> None:
    (container,) = pod_of(FULL)["spec"]["containers"]
    assert container["resources"] == {"limits": {"memory": "1Gi"}}


def test_what_a_person_says_of_annotations_goes_before_what_we_say() -> None:
    annotations = pod_of(FULL)["metadata"]["annotations"]
    assert annotations["prometheus.io/scrape"] == "false"
    assert annotations["prometheus.io/port"] == "8085"
    assert one(FULL, "ServiceAccount")["metadata"]["annotations"] == FULL.account_annotations


def test_an_account_that_is_there_is_bound_and_not_made() -> None:
    settings = InstallSettings(service_account="mine")
    assert of_kind(settings, "ServiceAccount") == []
    assert one(settings, "RoleBinding")["subjects"] == [
        {"kind": "ServiceAccount", "name": "mine", "namespace": "velero"}
    ]
    assert pod_of(settings)["spec"]["serviceAccountName"] == "mine"


def test_rights_at_home_have_no_wildcard() -> None:
    role = one(FULL, "Role")
    assert role["metadata"]["namespace"] == "harbour"
    assert len(role["rules"]) == len(RIGHTS)
    for rule in role["rules"]:
        assert not any("*" in words for words in rule.values())
        # A name can not be asked for where there is none yet: such a rule would grant nothing.
        assert not ("resourceNames" in rule and "create" in rule["verbs"])


def test_no_two_rules_are_about_the_same_objects() -> None:
    rules = one(FULL, "Role")["rules"]
    about = [(rule["apiGroups"], rule["resources"], rule.get("resourceNames")) for rule in rules]
    assert all(about.count(each) == 1 for each in about)


def test_in_the_whole_cluster_only_what_we_made_can_be_deleted() -> None:
    rules = one(FULL, "ClusterRole")["rules"]
    deleted = {each for rule in rules if "delete" in rule["verbs"] for each in rule["resources"]}
    assert deleted == {"cronjobs", "jobs", "nonadminbackups", "nonadmindownloadrequests"}
    for rule in rules:
        assert "*" not in rule["resources"] or not {"delete", "watch", "*"} & set(rule["verbs"])


@pytest.mark.parametrize(("namespace", "name"), [("velero", "kedge"), ("harbour", "kedge-harbour")])
def test_installations_in_two_namespaces_have_rights_of_their_own(
    namespace: str, name: str
) -> None:
    binding = one(InstallSettings(namespace=namespace), "ClusterRoleBinding")
    assert binding["metadata"]["name"] == name
    assert binding["roleRef"]["name"] == name
    assert binding["subjects"][0]["namespace"] == namespace
