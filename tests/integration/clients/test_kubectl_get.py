"""kubectl get and describe: every way to look at objects."""

import json

import pytest

from tests.integration.clients.kubectl import Kubectl
from tests.integration.clients.manifests import POD, WEB, config


@pytest.fixture(scope="module")
def shown(kubectl: Kubectl) -> Kubectl:
    kubectl.apply(WEB)
    kubectl.apply(POD)
    return kubectl


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ((), "web 0/2 0 0"),
        (("--output=wide",), "web 0/2 0 0 AGE main registry.example/web:1 app=web"),
        (("--show-labels",), "web 0/2 0 0 AGE app=web"),
        (("--output=name",), "deployment.apps/web"),
        (("--output=jsonpath={.items[*].spec.replicas}",), "2"),
        (("--output=custom-columns=A:.metadata.name,B:.spec.replicas", "--no-headers"), "web 2"),
        (("--selector=app in (web)", "--output=name"), "deployment.apps/web"),
        (("--selector=app!=web", "--output=name"), ""),
        (("--field-selector=metadata.name=web", "--output=name"), "deployment.apps/web"),
        (("--sort-by=.metadata.name", "--no-headers"), "web 0/2 0 0"),
        (("--chunk-size=1", "--output=name"), "deployment.apps/web"),
        (("--label-columns=app", "--no-headers"), "web 0/2 0 0 AGE web"),
    ],
)
def test_a_list_in_every_form(shown: Kubectl, flags: tuple[str, ...], expected: str) -> None:
    text = shown.ok("get", "deployments", *flags)
    words = [("AGE" if _is_age(word) else word) for word in text.split()]
    assert expected in " ".join(words)
    assert bool(text) == bool(expected)


def test_one_object_as_yaml_and_json(shown: Kubectl) -> None:
    text = shown.ok("get", "configmap", "paint", "--output=json")
    assert json.loads(text) == shown.get("configmap", "paint")
    assert json.loads(text)["data"] == {"colour": "red"}


def test_several_kinds_at_once_and_everything(shown: Kubectl) -> None:
    kinds = shown.ok("get", "deploy,svc,cm", "--output=name").split()
    assert set(kinds) == {"deployment.apps/web", "service/web", "configmap/paint"}
    everything = shown.ok("get", "all", "--output=name").split()
    assert set(everything) == {"pod/lonely", "service/web", "deployment.apps/web"}
    assert shown.namespace in shown.ok("get", "pods", "--all-namespaces")


def test_what_is_not_there(shown: Kubectl) -> None:
    assert 'pods "nobody" not found' in shown.refused("get", "pod", "nobody")
    assert "doesn't have a resource type" in shown.refused("get", "submarines")
    empty = shown.run("get", "secrets")
    assert empty.stderr == f"No resources found in {shown.namespace} namespace.\n"


def test_a_watch_shows_changes_as_they_come(shown: Kubectl) -> None:
    flags = ("--watch", "--output-watch-events", "--no-headers", "--selector=seen=yes")
    shown.ok("delete", "configmap", "--selector=seen=yes")
    shown.apply(config("seen").replace("{name: seen}", "{name: seen, labels: {seen: 'yes'}}"))
    with shown.following("get", "configmaps", *flags) as process:
        assert process.stdout is not None
        assert process.stdout.readline().split()[:2] == ["ADDED", "seen"]
        shown.ok("annotate", "configmap", "seen", "note=more")
        assert process.stdout.readline().split()[:2] == ["MODIFIED", "seen"]
        shown.ok("label", "configmap", "seen", "seen-")
        assert process.stdout.readline().split()[:2] == ["DELETED", "seen"]


def test_a_watch_as_a_table(shown: Kubectl) -> None:
    with shown.following("get", "configmap", "paint", "--watch") as process:
        assert process.stdout is not None
        assert process.stdout.readline().split() == ["NAME", "DATA", "AGE"]
        assert process.stdout.readline().split()[:2] == ["paint", "1"]
        shown.ok("patch", "configmap", "paint", "--patch", '{"data":{"second":"yes"}}')
        assert process.stdout.readline().split()[:2] == ["paint", "2"]
    shown.apply(WEB)
    shown.ok("patch", "configmap", "paint", "--patch", '{"data":{"second":null}}')


@pytest.mark.parametrize(
    ("what", "expected"),
    [
        ("deployment/web", "2 desired | 0 updated | 0 total | 0 available | 0 unavailable"),
        ("service/web", "Session Affinity:"),
        ("configmap/paint", "colour:\n----\nred\n"),
        ("pod/lonely", "QoS Class:"),
        ("clusterrole/view", "PolicyRule:"),
        ("clusterrolebinding/cluster-admin", "system:masters"),
        ("namespace/default", "No resource quota."),
        ("priorityclass/system-node-critical", "Value:"),
        ("crd,storageclass,node", ""),
    ],
)
def test_describe(shown: Kubectl, what: str, expected: str) -> None:
    assert expected in shown.ok("describe", what)


def _is_age(word: str) -> bool:
    return word[:1].isdigit() and word[-1] in "smh"
