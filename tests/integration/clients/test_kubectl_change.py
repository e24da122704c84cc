"""kubectl patch, label, annotate, scale, set, rollout, wait: changes to what is there."""

from pathlib import Path

import pytest

from tests.integration.clients.kubectl import Kubectl
from tests.integration.clients.manifests import WEB, config

AVAILABLE = '{"type":"Available","status":"True","reason":"Fine","message":"all there"}'
DONE = (
    '{"status":{"observedGeneration":%d,"replicas":2,"updatedReplicas":2,'
    '"readyReplicas":2,"availableReplicas":2,"conditions":[' + AVAILABLE + "]}}"
)


@pytest.fixture
def web(kubectl: Kubectl) -> Kubectl:
    kubectl.ok("delete", "deployment,service,configmap", "--all")
    kubectl.apply(WEB)
    return kubectl


@pytest.mark.parametrize(
    ("kind", "patch"),
    [
        ("strategic", '{"data":{"colour":"blue"}}'),
        ("merge", '{"data":{"colour":"blue"}}'),
        ("json", '[{"op":"replace","path":"/data/colour","value":"blue"}]'),
    ],
)
def test_patch_of_each_type(web: Kubectl, kind: str, patch: str) -> None:
    told = web.ok("patch", "configmap", "paint", f"--type={kind}", "--patch", patch)
    assert told == "configmap/paint patched\n"
    again = web.ok("patch", "configmap", "paint", f"--type={kind}", "--patch", patch)
    assert again == "configmap/paint patched (no change)\n"
    assert web.get("configmap", "paint")["data"] == {"colour": "blue"}


def test_a_strategic_patch_merges_lists_by_key(web: Kubectl) -> None:
    patch = '{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"s"}]}}}}'
    web.ok("patch", "deployment", "web", "--patch", patch)
    containers = web.get("deployment", "web")["spec"]["template"]["spec"]["containers"]
    assert [one["name"] for one in containers] == ["side", "main"]


def test_labels_and_annotations_come_and_go(web: Kubectl) -> None:
    web.ok("label", "configmap", "paint", "a=1")
    told = web.refused("label", "configmap", "paint", "a=2")
    assert "--overwrite is false" in told
    web.ok("label", "configmap", "paint", "a=2", "--overwrite")
    web.ok("annotate", "configmap", "paint", "note=hello world")
    meta = web.get("configmap", "paint")["metadata"]
    assert meta["labels"] == {"app": "web", "a": "2"}
    assert meta["annotations"]["note"] == "hello world"
    web.ok("label", "configmap", "--all", "a-")
    web.ok("annotate", "configmap", "paint", "note-")
    assert web.get("configmap", "paint")["metadata"]["labels"] == {"app": "web"}
    assert "invalid" in web.refused("label", "configmap", "paint", "a=not valid")


def test_scale_checks_what_it_expects(web: Kubectl) -> None:
    web.ok("scale", "deployment", "web", "--replicas=3")
    told = web.refused("scale", "deployment", "web", "--replicas=4", "--current-replicas=9")
    assert "Expected replicas to be 9, was 3" in told
    web.ok("scale", "deployment", "web", "--replicas=4", "--current-replicas=3")
    assert web.get("deployment", "web")["spec"]["replicas"] == 4


def test_set_changes_the_pod_template(web: Kubectl) -> None:
    web.ok("set", "image", "deployment/web", "main=registry.example/web:2")
    web.ok("set", "env", "deployment/web", "A=B")
    web.ok("set", "resources", "deployment/web", "--limits=cpu=1")
    web.ok("set", "serviceaccount", "deployment/web", "robot")
    deployment = web.get("deployment", "web")
    pod = deployment["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert container["image"] == "registry.example/web:2"
    assert container["env"] == [{"name": "A", "value": "B"}]
    assert container["resources"] == {"limits": {"cpu": "1"}}
    assert pod["serviceAccountName"] == "robot"
    assert deployment["metadata"]["generation"] == 5


def test_rollout_waits_for_a_controller_that_reports(web: Kubectl) -> None:
    web.ok("rollout", "pause", "deployment/web")
    web.ok("rollout", "resume", "deployment/web")
    web.ok("rollout", "restart", "deployment/web")
    assert "No rollout history found" in web.ok("rollout", "history", "deployment/web")
    with web.following("rollout", "status", "deployment/web", "--timeout=20s") as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("Waiting for deployment spec update")
        report(web)
        assert process.stdout.readlines()[-1] == 'deployment "web" successfully rolled out\n'
        assert process.wait(20) == 0
    assert web.ok("get", "deployment", "web", "--no-headers").split()[1] == "2/2"


def test_wait_for_a_condition_a_value_and_an_end(web: Kubectl) -> None:
    long = "--timeout=20s"
    with web.following("wait", "deployment/web", "--for=condition=Available", long) as process:
        report(web)
        assert process.wait(20) == 0
    value = "--for=jsonpath={.spec.replicas}=2"
    assert "condition met" in web.ok("wait", "deployment/web", value, long)
    told = web.refused("wait", "deployment/web", "--for=condition=Gone", "--timeout=100ms")
    assert "timed out waiting for the condition" in told
    with web.following("wait", "configmap/paint", "--for=delete", long) as process:
        web.ok("delete", "configmap", "paint")
        assert process.wait(20) == 0


def test_a_finalizer_holds_a_delete_until_it_is_gone(web: Kubectl) -> None:
    web.apply(config("held").replace("{name: held}", "{name: held, finalizers: [x.test/y]}"))
    with web.following("delete", "configmap", "held", "--timeout=20s") as process:
        while "deletionTimestamp" not in web.get("configmap", "held")["metadata"]:
            assert process.poll() is None
        patch = '{"metadata":{"finalizers":null}}'
        web.ok("patch", "configmap", "held", "--type=merge", "--patch", patch)
        assert process.wait(20) == 0


def test_expose_and_autoscale_make_objects_for_a_deployment(web: Kubectl, tmp_path: Path) -> None:
    web.ok("expose", "deployment", "web", "--name=door", "--port=81", "--target-port=80")
    service = web.get("service", "door")
    assert service["spec"]["selector"] == {"app": "web"}
    assert service["spec"]["ports"] == [{"port": 81, "protocol": "TCP", "targetPort": 80}]
    web.ok("autoscale", "deployment", "web", "--max=5")
    assert web.get("hpa", "web")["spec"]["maxReplicas"] == 5
    web.ok("delete", "hpa", "web")


def report(kubectl: Kubectl) -> None:
    """Play the deployment controller: say that all is well."""
    generation = kubectl.get("deployment", "web")["metadata"]["generation"]
    flags = ("--subresource=status", "--type=merge", "--patch", DONE % generation)
    kubectl.ok("patch", "deployment", "web", *flags)
