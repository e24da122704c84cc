"""A user as Kubernetes knows one: a name, groups, and what else the credential told."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from kedge.kube.names import label_name, subdomain_name

ANONYMOUS: Final = "system:anonymous"
AUTHENTICATED: Final = "system:authenticated"
UNAUTHENTICATED: Final = "system:unauthenticated"
MASTERS: Final = "system:masters"
ADMIN: Final = "admin"

ACCOUNT_PREFIX: Final = "system:serviceaccount:"
ACCOUNTS: Final = "system:serviceaccounts"

CREDENTIAL_ID: Final = "authentication.kubernetes.io/credential-id"
POD_NAME: Final = "authentication.kubernetes.io/pod-name"
POD_UID: Final = "authentication.kubernetes.io/pod-uid"
NODE_NAME: Final = "authentication.kubernetes.io/node-name"
NODE_UID: Final = "authentication.kubernetes.io/node-uid"


@dataclass(frozen=True, slots=True)
class User:
    """Who asks."""

    name: str
    uid: str = ""
    groups: tuple[str, ...] = ()
    extra: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)

    @property
    def is_master(self) -> bool:
        """Whether this user may do anything, whatever the roles say."""
        return MASTERS in self.groups

    @property
    def info(self) -> dict[str, Any]:
        """The user as reviews show it; what is empty is left out."""
        info: dict[str, Any] = {}
        if self.name:
            info["username"] = self.name
        if self.uid:
            info["uid"] = self.uid
        if self.groups:
            info["groups"] = list(self.groups)
        if self.extra:
            info["extra"] = {key: list(self.extra[key]) for key in sorted(self.extra)}
        return info


NOBODY: Final = User(ANONYMOUS, groups=(UNAUTHENTICATED,))


def authenticated(user: User) -> User:
    """Add the group of everyone who has shown who they are."""
    if user.name == ANONYMOUS or AUTHENTICATED in user.groups or UNAUTHENTICATED in user.groups:
        return user
    return replace(user, groups=(*user.groups, AUTHENTICATED))


def account_name(namespace: str, name: str) -> str:
    """Make the user name of a service account."""
    return f"{ACCOUNT_PREFIX}{namespace}:{name}"


def account_groups(namespace: str) -> tuple[str, str]:
    """List the groups of every service account in a namespace."""
    return (ACCOUNTS, f"{ACCOUNTS}:{namespace}")


def split_account(username: str) -> tuple[str, str] | None:
    """Split a service account's user name in namespace and name; None where it is no such."""
    if not username.startswith(ACCOUNT_PREFIX):
        return None
    namespace, separator, name = username[len(ACCOUNT_PREFIX) :].partition(":")
    if not separator or ":" in name or label_name(namespace) or subdomain_name(name):
        return None
    return namespace, name
