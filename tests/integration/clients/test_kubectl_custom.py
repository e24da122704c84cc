"""kubectl with a custom kind: it is one like any other."""

import json

import pytest

from tests.integration.clients.kubectl import Kubectl
from tests.integration.clients.manifests import boat, crd


@pytest.fixture(scope="module")
def harbour(kubectl: Kubectl) -> str:
    """Define Boat in a group of its own; give the group."""
    group = f"{kubectl.namespace}.test"
    kubectl.apply(crd(group))
    kubectl.ok("wait", f"crd/boats.{group}", "--for=condition=Established", "--timeout=20s")
    return group


def test_short_names_columns_and_categories(kubectl: Kubectl, harbour: str) -> None:
    kubectl.apply(boat(harbour))
    header, line = kubectl.ok("get", f"bt.{harbour}").splitlines()
    assert header.split() == ["NAME", "LENGTH", "AGE"]
    assert line.split()[:2] == ["kayak", "5"]
    assert kubectl.ok("get", "fleet", "--output=name") == f"boat.{harbour}/kayak\n"
    assert f"boat.{harbour}/kayak" in kubectl.ok("get", "all", "--output=name")
    assert "Length:  5" in kubectl.ok("describe", f"boats.{harbour}", "kayak")


def test_defaults_and_validation(kubectl: Kubectl, harbour: str) -> None:
    kubectl.apply(boat(harbour, "raft"))
    assert kubectl.get(f"boats.{harbour}", "raft")["spec"] == {"length": 5, "oars": 2}
    told = kubectl.refused("apply", "-f", "-", stdin=boat(harbour, "raft", "length: 0"))
    assert "spec.length in body should be greater than or equal to 1" in told
    told = kubectl.refused("apply", "-f", "-", stdin=boat(harbour, "raft", "width: 1"))
    assert 'unknown field "spec.width"' in told
    result = kubectl.run(
        "apply", "-f", "-", "--validate=warn", stdin=boat(harbour, "raft", "width: 1")
    )
    assert 'Warning: unknown field "spec.width"' in result.stderr
    assert result.returncode == 0


def test_status_and_scale(kubectl: Kubectl, harbour: str) -> None:
    kubectl.apply(boat(harbour, "ferry"))
    kind = f"boats.{harbour}"
    status = {"oars": 9, "conditions": [{"type": "Afloat", "status": "True"}]}
    patch = json.dumps({"status": status})
    plain = kubectl.ok("patch", kind, "ferry", "--type=merge", "--patch", patch)
    assert "(no change)" in plain
    flags = ("--subresource=status", "--type=merge", "--patch", patch)
    kubectl.ok("patch", kind, "ferry", *flags)
    long = "--timeout=20s"
    kubectl.ok("wait", f"{kind}/ferry", "--for=condition=Afloat", long)
    kubectl.ok("wait", f"{kind}/ferry", "--for=jsonpath={.status.oars}=9", long)
    kubectl.ok("scale", kind, "ferry", "--replicas=8")
    ferry = kubectl.get(kind, "ferry")
    assert (ferry["spec"]["oars"], ferry["status"]) == (8, status)
    assert ferry["metadata"]["generation"] == 2
    scale = kubectl.get(kind, "ferry", "--subresource=scale")
    assert (scale["kind"], scale["status"]["replicas"]) == ("Scale", 9)


def test_server_side_apply_and_a_patch_that_is_not_for_it(kubectl: Kubectl, harbour: str) -> None:
    kubectl.apply(boat(harbour, "barge"), "--server-side")
    longer = boat(harbour, "barge", "length: 6")
    assert "serverside-applied" in kubectl.apply(longer, "--server-side")
    told = kubectl.refused("patch", f"boats.{harbour}", "barge", "--patch", '{"spec":{}}')
    assert "application/strategic-merge-patch+json" in told


def test_explain_shows_its_schema(kubectl: Kubectl, harbour: str) -> None:
    flag = f"--api-version={harbour}/v1"
    assert "Something that swims." in kubectl.ok("explain", "boats", flag)
    assert "From bow to stern." in kubectl.ok("explain", "boats.spec.length", flag)
    assert "oars\t<integer>" in kubectl.ok("explain", "boats", "--recursive", flag)


def test_it_is_gone_with_its_definition(kubectl: Kubectl, harbour: str) -> None:
    kubectl.apply(boat(harbour))
    kubectl.ok("delete", "crd", f"boats.{harbour}", "--timeout=20s")
    assert "doesn't have a resource type" in kubectl.refused("get", f"boats.{harbour}")
