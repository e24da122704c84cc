"""The entries of a kubeconfig, typed; secrets stay out of what is printed of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Cluster:
    """Where a cluster is, and how to know it."""

    place: str = "cluster"
    """File and path of the entry, for messages."""
    server: str = field(default="", repr=False)
    tls_server_name: str = ""
    insecure: bool = False
    ca: str = ""
    ca_data: bytes = field(default=b"", repr=False)
    proxy_url: str = field(default="", repr=False)
    disable_compression: bool = False
    exec_config: Any = field(default=None, repr=False)
    overridden: frozenset[str] = frozenset()
    """Fields that do not come from the file."""

    def called(self, name: str) -> str:
        """Name a field for a message."""
        return f"override of {name}" if name in self.overridden else f"{self.place}.{name}"


@dataclass(frozen=True, slots=True)
class Impersonation:
    """Whom to act as."""

    user: str = ""
    uid: str = ""
    groups: tuple[str, ...] = ()
    extra: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ExecConfig:
    """A program that gives out credentials."""

    place: str
    command: str
    api_version: str
    args: tuple[str, ...] = field(default=(), repr=False)
    env: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    install_hint: str = ""
    provide_cluster_info: bool = False
    interactive_mode: str = ""


@dataclass(frozen=True, slots=True)
class AuthProvider:
    """A login of the older kind, with its state in the file."""

    place: str
    name: str
    config: Mapping[str, str] = field(repr=False)


@dataclass(frozen=True, slots=True)
class User:
    """Ways to prove who one is."""

    place: str = "user"
    """File and path of the entry, for messages."""
    name: str = ""
    origin: Path | None = None
    """The file that the entry came from."""
    client_certificate: str = ""
    client_certificate_data: bytes = field(default=b"", repr=False)
    client_key: str = ""
    client_key_data: bytes = field(default=b"", repr=False)
    token: str = field(default="", repr=False)
    token_file: str = ""
    username: str = ""
    password: str = field(default="", repr=False)
    impersonation: Impersonation = field(default_factory=Impersonation)
    auth_provider: AuthProvider | None = None
    exec: ExecConfig | None = None
    overridden: frozenset[str] = frozenset()
    """Fields that do not come from the file."""

    def called(self, name: str) -> str:
        """Name a field for a message."""
        return f"override of {name}" if name in self.overridden else f"{self.place}.{name}"


@dataclass(frozen=True, slots=True)
class Context:
    """A cluster, a user and a namespace, by name."""

    place: str = "context"
    cluster: str = ""
    user: str = ""
    namespace: str = ""


@dataclass(slots=True)
class Kubeconfig:
    """One file, or several merged."""

    current_context: str = ""
    contexts: dict[str, Context] = field(default_factory=dict)
    clusters: dict[str, Cluster] = field(default_factory=dict)
    users: dict[str, User] = field(default_factory=dict)
