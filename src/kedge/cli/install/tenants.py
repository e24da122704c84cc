"""What people without rights on the cluster get in their own namespaces. Pure.

Self-service, and PreScaledCronJobs: the server makes CronJobs of these, in the same namespace, and
who may edit a namespace may make CronJobs there without it.
"""

from typing import Any, Final

from kedge.api.nonadmin.backup import NON_ADMIN_BACKUP
from kedge.api.nonadmin.download_request import NON_ADMIN_DOWNLOAD_REQUEST
from kedge.api.nonadmin.location import NON_ADMIN_LOCATION
from kedge.api.nonadmin.restore import NON_ADMIN_RESTORE
from kedge.api.prescaled.kind import PRE_SCALED_CRON_JOB
from kedge.cli.install.kinds import RBAC
from kedge.cli.install.names import LABELS, meta_in
from kedge.kube.kind import Kind, Object
from kedge.kube.right import right
from kedge.runtime.events import EVENTS
from kedge.selfservice.policies import CONFIG_MAP
from kedge.selfservice.policy import POLICY_NAME

EDIT: Final = "kedge-nonadmin-edit"
VIEW: Final = "kedge-nonadmin-view"
PRESCALED_EDIT: Final = "kedge-prescaled-edit"
PRESCALED_VIEW: Final = "kedge-prescaled-view"
READ: Final = ("get", "list", "watch")
WRITE: Final = (*READ, "create", "update", "patch", "delete", "deletecollection")
SEEN: Final[tuple[Kind[Any], ...]] = (NON_ADMIN_BACKUP, NON_ADMIN_RESTORE, NON_ADMIN_LOCATION)
# Its status has the address of a file of a backup, with the Secrets in it, for whoever reads it:
# those who may only view a namespace do not see its Secrets, so they do not get this kind.
MADE: Final[tuple[Kind[Any], ...]] = (*SEEN, NON_ADMIN_DOWNLOAD_REQUEST)
EVERYBODY: Final = "system:authenticated"


def tenant_roles() -> list[Object]:
    """Give the ClusterRoles that the admins, editors and viewers of namespaces get by themselves.

    Nobody gets the status of an object to write, which the server trusts, nor requests for the
    approval of locations, which are the administrator's.
    """
    return [
        _with_events(_role(EDIT, ("admin", "edit"), MADE, WRITE)),
        _with_events(_role(VIEW, ("view",), SEEN, READ)),
        _role(PRESCALED_EDIT, ("admin", "edit"), (PRE_SCALED_CRON_JOB,), WRITE),
        _role(PRESCALED_VIEW, ("view",), (PRE_SCALED_CRON_JOB,), READ),
    ]


def policy_roles(namespace: str) -> list[Object]:
    """Give whoever is logged in the right to read the rules of self-service, and nothing beside."""
    role = {"apiGroup": RBAC, "kind": "Role", "name": POLICY_NAME}
    people = {"apiGroup": RBAC, "kind": "Group", "name": EVERYBODY}
    rule = right(CONFIG_MAP, "get", names=(POLICY_NAME,)).rule
    version = f"{RBAC}/v1"
    return [
        {
            "apiVersion": version,
            "kind": "Role",
            "metadata": meta_in(namespace, POLICY_NAME),
            "rules": [rule],
        },
        {
            "apiVersion": version,
            "kind": "RoleBinding",
            "metadata": meta_in(namespace, POLICY_NAME),
            "roleRef": role,
            "subjects": [people],
        },
    ]


def _with_events(role: Object) -> Object:
    """Let `kubectl describe` show what the server tells of requests, also with this role alone."""
    return role | {"rules": [*role["rules"], right(EVENTS, *READ).rule]}


def _role(
    name: str, roles: tuple[str, ...], kinds: tuple[Kind[Any], ...], verbs: tuple[str, ...]
) -> Object:
    """Give a ClusterRole whose rules become part of the cluster's own roles of these names."""
    joined = {f"{RBAC}/aggregate-to-{role}": "true" for role in roles}
    return {
        "apiVersion": f"{RBAC}/v1",
        "kind": "ClusterRole",
        "metadata": {"name": name, "labels": {**LABELS, **joined}},
        "rules": [
            {
                "apiGroups": [kinds[0].group],
                "resources": [kind.plural for kind in kinds],
                "verbs": list(verbs),
            },
            {
                "apiGroups": [kinds[0].group],
                "resources": [f"{kind.plural}/status" for kind in kinds],
                "verbs": ["get"],
            },
        ],
    }
