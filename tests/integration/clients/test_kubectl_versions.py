"""Every kubectl at hand does a day's work; the newest one goes through the other files, too."""

import pytest

from tests.integration.clients.kubectl import Kubectl
from tests.integration.clients.manifests import WEB, boat, crd

BLUE = WEB.replace("colour: red", "colour: blue")
REPORT = (
    '{"status":{"observedGeneration":9,"replicas":3,"updatedReplicas":3,"readyReplicas":3,'
    '"availableReplicas":3,"conditions":[{"type":"Available","status":"True"}]}}'
)


def test_a_manifest_from_apply_to_delete(any_kubectl: Kubectl) -> None:
    run = any_kubectl
    assert run.apply(WEB).count(" created") == 3
    assert run.run("diff", "-f", "-", stdin=BLUE).returncode == 1
    assert run.apply(BLUE, "--server-side", "--force-conflicts").count("serverside-applied") == 3
    run.ok("edit", "configmap", "paint", editor="sed -i s/blue/green/")
    run.ok("patch", "configmap", "paint", "--patch", '{"data":{"more":"yes"}}')
    run.ok("label", "configmap", "paint", "seen=yes")
    run.ok("scale", "deployment", "web", "--replicas=3")
    run.ok("set", "image", "deployment/web", "main=registry.example/web:2")
    shown = run.ok("get", "deployment", "web", "--output=wide", "--no-headers")
    assert shown.split()[1:4] == ["0/3", "0", "0"]
    assert "registry.example/web:2" in run.ok("describe", "deployment", "web")
    assert run.get("configmap", "paint")["data"] == {"colour": "green", "more": "yes"}
    path = "--output=jsonpath={.metadata.labels.seen}"
    assert run.ok("get", "configmap", "paint", path) == "yes"
    flags = ("--subresource=status", "--type=merge", "--patch", REPORT)
    run.ok("patch", "deployment", "web", *flags)
    long = "--timeout=20s"
    run.ok("wait", "deployment/web", "--for=condition=Available", long)
    assert "successfully rolled out" in run.ok("rollout", "status", "deployment/web", long)
    run.ok("delete", "-f", "-", long, stdin=WEB)
    assert run.get("deployment,service,configmap")["items"] == []


def test_objects_from_arguments(any_kubectl: Kubectl) -> None:
    run = any_kubectl
    run.ok("create", "serviceaccount", "robot")
    run.ok("create", "role", "reader", "--verb=get", "--resource=pods")
    robot = f"{run.namespace}:robot"
    run.ok("create", "rolebinding", "reader", "--role=reader", f"--serviceaccount={robot}")
    run.ok("create", "secret", "generic", "key", "--from-literal=a=b")
    run.ok("create", "deployment", "other", "--image=i")
    run.ok("expose", "deployment", "other", "--port=80")
    run.ok("run", "one", "--image=i")
    may = run.run("auth", "can-i", "get", "pods", f"--as=system:serviceaccount:{robot}")
    assert may.stdout.strip() == "yes"
    assert run.ok("create", "token", "robot").count(".") == 2
    assert "other" in run.ok("get", "all")


def test_what_is_offered_and_a_custom_kind(any_kubectl: Kubectl) -> None:
    run, group = any_kubectl, f"{any_kubectl.namespace}.test"
    assert "FIELD: replicas <integer>" in run.ok("explain", "deployment.spec.replicas")
    assert "deployments" in run.ok("api-resources", "--api-group=apps")
    run.apply(crd(group))
    run.ok("wait", f"crd/boats.{group}", "--for=condition=Established", "--timeout=20s")
    run.apply(boat(group))
    assert run.ok("get", f"bt.{group}", "--no-headers").split()[:2] == ["kayak", "5"]
    described = run.ok("explain", "boats.spec.length", f"--api-version={group}/v1")
    assert "From bow to stern." in described
    run.ok("delete", "crd", f"boats.{group}", "--timeout=20s")


@pytest.mark.parametrize("flags", [("--watch",), ("--watch", "--output=json")])
def test_a_watch(any_kubectl: Kubectl, flags: tuple[str, ...]) -> None:
    with any_kubectl.following("get", "namespaces", "default", *flags) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
