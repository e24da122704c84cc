"""Which cluster, user and namespace are meant, among those of the files and the overrides."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final

from kedge.client.where.entries import Cluster, Context, Impersonation, Kubeconfig, User
from kedge.client.where.errors import ConfigError, NothingConfigured, shown
from kedge.client.where.kubeconfig import known

_NAMES: Final = {
    "impersonate": "as",
    "impersonate_uid": "as-uid",
    "impersonate_groups": "as-groups",
    "impersonate_extra": "as-user-extra",
    "insecure": "insecure-skip-tls-verify",
}


@dataclass(frozen=True, slots=True)
class Overrides:
    """What a program was told on its command line; it goes before what the files say."""

    cluster: str = ""
    """Name of an entry."""
    user: str = ""
    """Name of an entry."""
    namespace: str = ""
    server: str = field(default="", repr=False)
    """A URL; tls-server-name of the files is then not used, as it is another server's."""
    tls_server_name: str = ""
    insecure: bool = False
    """Do not check the server's certificate; authorities of the files are then not used."""
    certificate_authority: str = ""
    """A file; it goes before everything that the files say of trust."""
    proxy_url: str = field(default="", repr=False)
    disable_compression: bool = False
    token: str = field(default="", repr=False)
    username: str = ""
    password: str = field(default="", repr=False)
    client_certificate: str = ""
    client_key: str = ""
    impersonate: str = ""
    impersonate_uid: str = ""
    impersonate_groups: tuple[str, ...] = ()
    impersonate_extra: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def set_fields(self) -> list[str]:
        """Name what is overridden."""
        return [one.name for one in fields(self) if getattr(self, one.name)]


@dataclass(frozen=True, slots=True)
class Choice:
    """The entries that count, with the overrides worked in."""

    cluster: Cluster
    user: User
    namespace: str


def choose(config: Kubeconfig, context: str | None, overrides: Overrides) -> Choice:
    """Pick the entries of a context: the one asked for, or the current one."""
    chosen = _context(config, context, overrides)
    return Choice(
        _cluster(config, chosen, overrides),
        _user(config, chosen, overrides),
        overrides.namespace or chosen.namespace or "default",
    )


def _context(config: Kubeconfig, asked: str | None, overrides: Overrides) -> Context:
    name = asked or config.current_context
    if name in config.contexts:
        return config.contexts[name]
    there = known(config.contexts)
    if asked:
        raise ConfigError(f"context {shown(asked)!r} does not exist; there are: {there}")
    if name:
        raise ConfigError(f"current-context {shown(name)!r} does not exist; there are: {there}")
    if overrides.server or overrides.cluster:
        return Context()
    if config.contexts or config.clusters:
        raise ConfigError(f"current-context is not set; choose a context of: {there}")
    raise NothingConfigured("the kubeconfig has no contexts and no clusters")


def _cluster(config: Kubeconfig, context: Context, overrides: Overrides) -> Cluster:
    name = overrides.cluster or context.cluster
    found = config.clusters.get(name)
    if found is None and (name or not overrides.server):
        asker = "cluster" if overrides.cluster else f"{context.place}.cluster"
        there = known(config.clusters)
        raise ConfigError(f"{asker} {shown(name)!r} does not exist; there are: {there}")
    return _with_overrides(found or Cluster(), overrides)


def _with_overrides(cluster: Cluster, overrides: Overrides) -> Cluster:
    changes: dict[str, Any] = {}
    if overrides.insecure or overrides.certificate_authority:
        changes["insecure"] = overrides.insecure
        changes["ca"] = overrides.certificate_authority
        changes["ca_data"] = b""
    if overrides.tls_server_name or overrides.server:
        changes["tls_server_name"] = overrides.tls_server_name
    if overrides.server:
        changes["server"] = overrides.server
    if overrides.proxy_url:
        changes["proxy_url"] = overrides.proxy_url
    if overrides.disable_compression:
        changes["disable_compression"] = True
    return replace(cluster, **changes, overridden=_overridden(overrides))


def _user(config: Kubeconfig, context: Context, overrides: Overrides) -> User:
    name = overrides.user or context.user
    found = config.users.get(name)
    if found is None and name:
        asker = "user" if overrides.user else f"{context.place}.user"
        there = known(config.users)
        raise ConfigError(f"{asker} {shown(name)!r} does not exist; there are: {there}")
    user = found or User()
    whom = _impersonation(user.impersonation, overrides)
    return replace(
        user,
        impersonation=whom,
        overridden=_overridden(overrides),
        **_authorization(user, overrides),
        **_certificate(overrides),
    )


def _authorization(user: User, overrides: Overrides) -> dict[str, Any]:
    """Replace whatever says the same in another way."""
    if overrides.token:
        return {
            "token": overrides.token,
            "token_file": "",
            "username": overrides.username,
            "password": overrides.password,
        }
    if overrides.username or overrides.password:
        return {
            "token": "",
            "token_file": "",
            "username": overrides.username or user.username,
            "password": overrides.password or user.password,
        }
    return {}


def _certificate(overrides: Overrides) -> dict[str, Any]:
    changes: dict[str, Any] = {}
    if overrides.client_certificate:
        changes["client_certificate"] = overrides.client_certificate
        changes["client_certificate_data"] = b""
    if overrides.client_key:
        changes["client_key"] = overrides.client_key
        changes["client_key_data"] = b""
    return changes


def _overridden(overrides: Overrides) -> frozenset[str]:
    """Give the names that the overridden fields have in a kubeconfig."""
    return frozenset(_NAMES.get(name, name.replace("_", "-")) for name in overrides.set_fields())


def _impersonation(whom: Impersonation, overrides: Overrides) -> Impersonation:
    return Impersonation(
        overrides.impersonate or whom.user,
        overrides.impersonate_uid or whom.uid,
        overrides.impersonate_groups or whom.groups,
        {**whom.extra, **overrides.impersonate_extra},
    )
