"""kubectl apply, diff, edit, replace, delete: the life of a manifest."""

import pytest

from tests.integration.clients.kubectl import Kubectl
from tests.integration.clients.manifests import WEB, config

BLUE = WEB.replace("colour: red", "colour: blue")


@pytest.fixture(autouse=True)
def _clean(kubectl: Kubectl) -> None:
    kubectl.ok("delete", "deployment,service,configmap", "--all")


def test_apply_creates_then_configures_then_leaves_alone(kubectl: Kubectl) -> None:
    assert kubectl.apply(WEB).count(" created") == 3
    assert kubectl.apply(WEB).count(" unchanged") == 3
    assert "configmap/paint configured" in kubectl.apply(BLUE)
    assert kubectl.get("configmap", "paint")["data"] == {"colour": "blue"}


def test_apply_takes_away_what_the_manifest_no_longer_says(kubectl: Kubectl) -> None:
    kubectl.apply(config("m", a="one", b="two"))
    kubectl.ok("patch", "configmap", "m", "--patch", '{"data":{"c":"three"}}')
    kubectl.apply(config("m", a="one"))
    assert kubectl.get("configmap", "m")["data"] == {"a": "one", "c": "three"}


def test_apply_says_what_is_wrong_with_a_manifest(kubectl: Kubectl) -> None:
    unknown = kubectl.refused("apply", "-f", "-", stdin=WEB.replace("replicas", "replicaz"))
    assert 'unknown field "spec.replicaz"' in unknown
    bad = kubectl.refused("apply", "-f", "-", stdin=WEB.replace("name: web", "name: WEB"))
    assert "a lowercase RFC 1123 subdomain must consist of" in bad


def test_server_side_apply_owns_fields_and_tells_of_conflicts(kubectl: Kubectl) -> None:
    assert kubectl.apply(WEB, "--server-side").count(" serverside-applied") == 3
    other = ("--server-side", "--field-manager=painter")
    told = kubectl.refused("apply", "-f", "-", *other, stdin=BLUE)
    assert 'conflict with "kubectl"' in told
    assert ".data.colour" in told
    kubectl.apply(BLUE, *other, "--force-conflicts")
    shown = kubectl.get("configmap", "paint", "--show-managed-fields")
    owners = {entry["manager"] for entry in shown["metadata"]["managedFields"]}
    assert "painter" in owners
    assert shown["data"] == {"colour": "blue"}


def test_client_side_ownership_moves_to_the_server(kubectl: Kubectl) -> None:
    kubectl.apply(WEB)
    assert kubectl.apply(BLUE, "--server-side").count(" serverside-applied") == 3
    assert kubectl.get("configmap", "paint")["data"] == {"colour": "blue"}


def test_dry_runs_change_nothing(kubectl: Kubectl) -> None:
    told = kubectl.apply(WEB, "--dry-run=server")
    assert told.count("created (server dry run)") == 3
    assert kubectl.get("configmap")["items"] == []


def test_diff_shows_what_would_change(kubectl: Kubectl) -> None:
    kubectl.apply(WEB)
    same = kubectl.run("diff", "-f", "-", stdin=WEB)
    assert (same.returncode, same.stdout) == (0, "")
    for flags in ((), ("--server-side", "--force-conflicts")):
        other = kubectl.run("diff", "-f", "-", *flags, stdin=BLUE)
        assert other.returncode == 1, other.stderr
        assert "-  colour: red\n+  colour: blue\n" in other.stdout


def test_prune_removes_what_is_no_longer_in_the_set(kubectl: Kubectl) -> None:
    kubectl.apply(WEB)
    shorter = WEB.rpartition("---")[0]
    allowed = "--prune-allowlist=core/v1/ConfigMap"
    told = kubectl.apply(shorter, "--prune", "--selector=app=web", allowed)
    assert "configmap/paint pruned" in told


def test_edit_opens_an_editor_on_the_object(kubectl: Kubectl) -> None:
    kubectl.apply(WEB)
    told = kubectl.ok("edit", "configmap", "paint", editor="sed -i s/red/green/")
    assert told == "configmap/paint edited\n"
    assert kubectl.get("configmap", "paint")["data"] == {"colour": "green"}


def test_replace_puts_the_manifest_in_place(kubectl: Kubectl) -> None:
    kubectl.apply(WEB)
    kubectl.ok("label", "configmap", "paint", "extra=yes")
    kubectl.ok("replace", "-f", "-", stdin=BLUE)
    after = kubectl.get("configmap", "paint")
    assert after["metadata"]["labels"] == {"app": "web"}
    kubectl.ok("replace", "--force", "-f", "-", stdin=BLUE)
    assert kubectl.get("configmap", "paint")["metadata"]["uid"] != after["metadata"]["uid"]


def test_delete_takes_a_manifest_a_selector_or_names(kubectl: Kubectl) -> None:
    kubectl.apply(WEB)
    kubectl.ok("delete", "configmap", "--selector=app=web")
    kubectl.ok("delete", "service/web", "--now")
    told = kubectl.refused("delete", "-f", "-", stdin=WEB)
    assert told.count("NotFound") == 2
    assert kubectl.ok("delete", "-f", "-", "--ignore-not-found", stdin=WEB) == ""


@pytest.mark.parametrize("cascade", ["background", "foreground", "orphan"])
def test_delete_cascades_as_it_is_told(kubectl: Kubectl, cascade: str) -> None:
    kubectl.apply(config("owner"))
    uid = kubectl.get("configmap", "owner")["metadata"]["uid"]
    owned = config("owned").replace(
        "{name: owned}",
        "{name: owned, ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: owner,"
        f" uid: {uid}, blockOwnerDeletion: true}}]}}",
    )
    kubectl.apply(owned)
    kubectl.ok("delete", "configmap", "owner", f"--cascade={cascade}", "--timeout=20s")
    if cascade == "orphan":
        assert "ownerReferences" not in kubectl.get("configmap", "owned")["metadata"]
    else:
        kubectl.ok("wait", "configmap/owned", "--for=delete", "--timeout=20s")
