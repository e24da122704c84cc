"""Kubeconfig files read, and several of them merged into one as kubectl does."""

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from kedge.client.where import document
from kedge.client.where.entries import (
    AuthProvider,
    Cluster,
    Context,
    ExecConfig,
    Impersonation,
    Kubeconfig,
    User,
)
from kedge.client.where.errors import ConfigError, NothingConfigured, shown
from kedge.client.where.fields import Fields

EXEC_EXTENSION: Final = "client.authentication.k8s.io/exec"
"""Name of the cluster's extension that is handed to an exec plugin."""
LARGEST: Final = 32 * 1024 * 1024
"""Bytes of a kubeconfig."""


def load(paths: Sequence[Path], *, must_exist: bool) -> Kubeconfig:
    """Merge files: the first to name an entry or a current context wins, whole.

    A missing file is an error, or is skipped; that all are missing is NothingConfigured.
    """
    texts = {path: read_file(path, must_exist=must_exist) for path in dict.fromkeys(paths)}
    found = [parse(text, path) for path, text in texts.items() if text is not None]
    if not found:
        names = ", ".join(str(path) for path in texts)
        raise NothingConfigured(
            f"no kubeconfig at {names}"
            if names
            else "no kubeconfig: KUBECONFIG and HOME are not set"
        )
    merged = Kubeconfig()
    for one in found:
        merged.current_context = merged.current_context or one.current_context
        merged.contexts = one.contexts | merged.contexts
        merged.clusters = one.clusters | merged.clusters
        merged.users = one.users | merged.users
    return merged


def read_file(path: Path, *, must_exist: bool) -> bytes | None:
    """Give the text of a file, None if it may be missing and is. Raises ConfigError."""
    try:
        with path.open("rb") as file:
            text = file.read(LARGEST + 1)
    except (FileNotFoundError, NotADirectoryError):
        if must_exist:
            raise ConfigError(f"kubeconfig {path} does not exist") from None
        return None
    except (OSError, ValueError) as exc:
        reason = exc.strerror if isinstance(exc, OSError) else "the name is not valid"
        raise ConfigError(f"cannot read kubeconfig {path}: {reason}") from None
    if len(text) > LARGEST:
        raise ConfigError(f"kubeconfig {path} is larger than {LARGEST} bytes")
    return text


def parse(text: bytes, path: Path) -> Kubeconfig:
    """Read the text of one file; what it says of other files is relative to its folder."""
    top = Fields(document.read(text, str(path)), str(path))
    for name, wanted in (("kind", "Config"), ("apiVersion", "v1")):
        if top.text(name) not in {"", wanted}:
            raise ConfigError(f"{top.place(name)} must be {wanted}, or absent")
    return Kubeconfig(
        top.text("current-context"),
        _by_name(top.every("contexts"), _context),
        _by_name(top.every("clusters"), lambda entry: _cluster(entry, path)),
        _by_name(top.every("users"), lambda entry: _user(entry, path)),
    )


Entry = TypeVar("Entry")


def _by_name(entries: Iterable[Fields], read: Callable[[Fields], Entry]) -> dict[str, Entry]:
    named: dict[str, Entry] = {}
    for entry in entries:
        name = entry.text("name")
        if name in named:
            raise ConfigError(f"{entry.place()} is there twice; names must be unique in a list")
        named[name] = read(entry)
    return named


def _context(entry: Fields) -> Context:
    fields = entry.inner("context") or Fields(None, entry.file, entry.path + ".context")
    return Context(
        place=fields.place(),
        cluster=fields.text("cluster"),
        user=fields.text("user"),
        namespace=fields.text("namespace"),
    )


def _cluster(entry: Fields, path: Path) -> Cluster:
    fields = entry.inner("cluster") or Fields(None, entry.file, entry.path + ".cluster")
    return Cluster(
        place=fields.place(),
        server=fields.text("server"),
        tls_server_name=fields.text("tls-server-name"),
        insecure=fields.flag("insecure-skip-tls-verify"),
        ca=resolved(fields.text("certificate-authority"), path),
        ca_data=fields.data("certificate-authority-data"),
        proxy_url=fields.text("proxy-url"),
        disable_compression=fields.flag("disable-compression"),
        exec_config=_exec_extension(fields),
    )


def _exec_extension(cluster: Fields) -> Any:
    seen: dict[str, Any] = {}
    for extension in cluster.every("extensions"):
        name = extension.text("name")
        if name in seen:
            raise ConfigError(f"{extension.place()} is there twice")
        seen[name] = extension.raw("extension")
    return seen.get(EXEC_EXTENSION)


def _user(entry: Fields, path: Path) -> User:
    fields = entry.inner("user") or Fields(None, entry.file, entry.path + ".user")
    return User(
        place=fields.place(),
        name=entry.text("name"),
        origin=path,
        client_certificate=resolved(fields.text("client-certificate"), path),
        client_certificate_data=fields.data("client-certificate-data"),
        client_key=resolved(fields.text("client-key"), path),
        client_key_data=fields.data("client-key-data"),
        token=fields.text("token"),
        token_file=resolved(fields.text("tokenFile"), path),
        username=fields.text("username"),
        password=fields.text("password"),
        impersonation=_impersonation(fields),
        auth_provider=_auth_provider(fields.inner("auth-provider")),
        exec=_exec(fields.inner("exec"), path),
    )


def _impersonation(user: Fields) -> Impersonation:
    extra = user.inner("as-user-extra")
    return Impersonation(
        user.text("as"),
        user.text("as-uid"),
        user.texts("as-groups"),
        {} if extra is None else {name: extra.texts(name) for name in extra.names()},
    )


def _auth_provider(fields: Fields | None) -> AuthProvider | None:
    if fields is None:
        return None
    config = fields.inner("config")
    texts = {} if config is None else {name: config.text(name) for name in config.names()}
    return AuthProvider(fields.place(), fields.text("name"), texts)


def _exec(fields: Fields | None, path: Path) -> ExecConfig | None:
    if fields is None:
        return None
    command = fields.text("command")
    return ExecConfig(
        place=fields.place(),
        # A bare name is looked for in PATH.
        command=resolved(command, path) if os.sep in command else command,
        api_version=fields.text("apiVersion"),
        args=fields.texts("args"),
        env=tuple((one.text("name"), one.text("value")) for one in fields.every("env")),
        install_hint=fields.text("installHint"),
        provide_cluster_info=fields.flag("provideClusterInfo"),
        interactive_mode=fields.text("interactiveMode"),
    )


def resolved(name: str, origin: Path) -> str:
    """Make a file's name absolute, seen from the folder of the kubeconfig; empty stays empty."""
    if not name:
        return ""
    return os.path.normpath(Path(origin).absolute().parent / name)


def known(names: Iterable[str]) -> str:
    """List names for a message that says what there would be."""
    listed = ", ".join(sorted(names))
    return shown(listed) if listed else "none"
