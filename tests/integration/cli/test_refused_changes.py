"""Somebody who may look and not change is told what to do about it."""

from pathlib import Path

from kedge.cli.hints import ASK
from tests.integration.cli.session import BACKUPS, NAMESPACE, Session
from tests.integration.cli.tenant import RBAC, acting_as

COMMANDS = (("schedule", "pause", "nightly"), ("backup", "delete", "kept", "--confirm"))


def test_the_right_that_is_missing_is_named(place: Session, tmp_path: Path) -> None:
    place.kedge("schedule", "create", "nightly", "--schedule", "@daily", "--skip-immediately")
    kept = {"apiVersion": "velero.io/v1", "kind": "Backup", "metadata": {"name": "kept"}}
    place.call(place.kube.client.create(BACKUPS, kept))
    vera = str(look_only(place, tmp_path))
    for command in COMMANDS:
        done = place.kedge(*command, KUBECONFIG=vera)
        assert (done.exit_code, done.stdout) == (1, "")
        assert 'User "vera" cannot' in done.stderr
        assert ASK in done.stderr


def look_only(place: Session, folder: Path) -> Path:
    """Let a person read what is Velero's; give their kubeconfig."""
    base = f"/apis/{RBAC}/v1/namespaces/{NAMESPACE}"
    rule = {"apiGroups": ["velero.io"], "resources": ["*"], "verbs": ["get", "list"]}
    place.call(
        place.kube.client.create(f"{base}/roles", {"metadata": {"name": "look"}, "rules": [rule]})
    )
    binding = {
        "metadata": {"name": "look"},
        "roleRef": {"apiGroup": RBAC, "kind": "Role", "name": "look"},
        "subjects": [{"apiGroup": RBAC, "kind": "User", "name": "vera"}],
    }
    place.call(place.kube.client.create(f"{base}/rolebindings", binding))
    return acting_as("vera", place, folder, NAMESPACE)
