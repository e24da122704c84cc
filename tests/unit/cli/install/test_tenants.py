"""People get self-service in their own namespaces, and nothing with which to fool the server."""

import pytest

from kedge.cli.install.tenants import policy_roles, tenant_roles
from kedge.kube.kind import Object

EDIT, VIEW, PRESCALED_EDIT, PRESCALED_VIEW = tenant_roles()
PRESCALED = "psc.cronprimer.local"
READ = {"get", "list", "watch"}
WRITE = {"create", "update", "patch", "delete", "deletecollection"}


def verbs_on(role: Object, resource: str, group: str = "oadp.openshift.io") -> set[str]:
    return {
        verb
        for rule in role["rules"]
        for verb in rule["verbs"]
        if rule["apiGroups"] == [group] and resource in rule["resources"]
    }


def test_admins_editors_and_viewers_get_them_by_themselves() -> None:
    labels = [
        {key.rpartition("-to-")[2] for key in role["metadata"]["labels"] if "/aggregate-to-" in key}
        for role in tenant_roles()
    ]
    assert [role["metadata"]["name"] for role in tenant_roles()] == [
        "kedge-nonadmin-edit",
        "kedge-nonadmin-view",
        "kedge-prescaled-edit",
        "kedge-prescaled-view",
    ]
    assert labels == [{"admin", "edit"}, {"view"}] * 2


@pytest.mark.parametrize(
    "resource", ["nonadminbackups", "nonadminrestores", "nonadminbackupstoragelocations"]
)
def test_editors_write_objects_and_viewers_read_them(resource: str) -> None:
    assert verbs_on(EDIT, resource) == READ | WRITE
    assert verbs_on(VIEW, resource) == READ
    for role in (EDIT, VIEW):
        assert verbs_on(role, f"{resource}/status") == {"get"}


def test_files_of_backups_are_for_those_who_may_read_secrets() -> None:
    assert verbs_on(EDIT, "nonadmindownloadrequests") == READ | WRITE
    assert verbs_on(EDIT, "nonadmindownloadrequests/status") == {"get"}
    assert verbs_on(VIEW, "nonadmindownloadrequests") == set()
    assert verbs_on(VIEW, "nonadmindownloadrequests/status") == set()


def test_editors_write_prescaled_cron_jobs_and_nothing_else_of_theirs() -> None:
    assert verbs_on(PRESCALED_EDIT, "prescaledcronjobs", PRESCALED) == READ | WRITE
    assert verbs_on(PRESCALED_VIEW, "prescaledcronjobs", PRESCALED) == READ
    for role in (PRESCALED_EDIT, PRESCALED_VIEW):
        assert verbs_on(role, "prescaledcronjobs/status", PRESCALED) == {"get"}
        assert {*(one for rule in role["rules"] for one in rule["apiGroups"])} == {PRESCALED}


def test_what_is_told_of_requests_can_be_read_and_nothing_else_of_other_groups() -> None:
    for role in (EDIT, VIEW):
        others = [rule for rule in role["rules"] if rule["apiGroups"] != ["oadp.openshift.io"]]
        assert others == [{"apiGroups": [""], "resources": ["events"], "verbs": sorted(READ)}]


def test_approvals_are_nobodys() -> None:
    for role in (EDIT, VIEW):
        for rule in role["rules"]:
            assert not any("request" in one for one in rule["resources"] if "location" in one)
            assert "*" not in rule["resources"] + rule["verbs"]


def test_whoever_is_logged_in_can_read_the_rules_and_nothing_else() -> None:
    role, binding = policy_roles("harbour")
    assert role["rules"] == [
        {
            "apiGroups": [""],
            "resources": ["configmaps"],
            "verbs": ["get"],
            "resourceNames": ["kedge-nonadmin-policy"],
        }
    ]
    assert binding["roleRef"]["name"] == role["metadata"]["name"]
    assert [one["name"] for one in binding["subjects"]] == ["system:authenticated"]
    assert {one["metadata"]["namespace"] for one in (role, binding)} == {"harbour"}
