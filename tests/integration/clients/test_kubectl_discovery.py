"""kubectl api-resources, api-versions, explain, cluster-info, config: what the server offers."""

import yaml

from tests.integration.clients.kubectl import Kubectl

KINDS = {
    ("pods", "Pod"),
    ("deployments", "Deployment"),
    ("cronjobs", "CronJob"),
    ("clusterroles", "ClusterRole"),
    ("customresourcedefinitions", "CustomResourceDefinition"),
    ("leases", "Lease"),
}
GROUPS = {"v1", "apps/v1", "batch/v1", "rbac.authorization.k8s.io/v1", "events.k8s.io/v1"}


def test_api_resources_and_versions(kubectl: Kubectl) -> None:
    lines = [line.split() for line in kubectl.ok("api-resources", "--no-headers").splitlines()]
    assert {(line[0], line[-1]) for line in lines} >= KINDS
    wide = kubectl.ok("api-resources", "--api-group=apps", "--output=wide")
    assert "create,delete,deletecollection,get,list,patch,update,watch" in wide
    named = kubectl.ok("api-resources", "--namespaced=false", "--output=name").split()
    assert "namespaces" in named
    assert "pods" not in named
    assert set(kubectl.ok("api-versions").split()) >= GROUPS


def test_explain_knows_kinds_fields_and_versions(kubectl: Kubectl) -> None:
    assert "VERSION:    v1" in kubectl.ok("explain", "pod")
    field = kubectl.ok("explain", "pod.spec.containers.name")
    assert "FIELD: name <string>" in field
    assert "-required-" in kubectl.ok("explain", "deployment.spec.template.spec")
    versioned = kubectl.ok("explain", "cronjob", "--api-version=batch/v1", "--recursive")
    assert "      containers\t<[]Container>" in versioned
    told = kubectl.refused("explain", "pod.spec.nothing")
    assert "nothing" in told
    told = kubectl.refused("explain", "submarine")
    assert "doesn't have a resource type" in told


def test_version_and_cluster_info(kubectl: Kubectl) -> None:
    version = yaml.safe_load(kubectl.ok("version", "--output=yaml"))
    assert version["serverVersion"]["minor"] == "34"
    assert "is running at" in kubectl.ok("cluster-info")


def test_config_view_hides_the_key(kubectl: Kubectl) -> None:
    shown = yaml.safe_load(kubectl.ok("config", "view", "--minify"))
    (user,) = shown["users"]
    assert user["user"]["client-key-data"] == "DATA+OMITTED"
