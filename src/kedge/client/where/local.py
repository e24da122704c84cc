"""The cluster and the user that kubeconfig files speak of."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from kedge.aio.clock import Clock
from kedge.client.where import headers, identity, proxy, server, tls
from kedge.client.where.access import Access
from kedge.client.where.choose import Choice, Overrides, choose
from kedge.client.where.credentials import Given, Source, Standing
from kedge.client.where.entries import Cluster, Kubeconfig
from kedge.client.where.errors import ConfigError, NothingConfigured
from kedge.client.where.files import Content, Reread
from kedge.client.where.kubeconfig import load
from kedge.client.where.surroundings import Surroundings

NOTHING: Final = Overrides()


def from_kubeconfig(
    paths: Sequence[Path] | None = None,
    *,
    context: str | None = None,
    overrides: Overrides = NOTHING,
    environ: Mapping[str, str],
    clock: Clock,
) -> Access:
    """Read kubeconfig files, which must exist if they are named here.

    Without paths: those of KUBECONFIG, else ~/.kube/config; what is missing there is skipped.
    Raises NothingConfigured if there is no file, or only files that say nothing.
    """
    given = paths is not None
    looked_for = list(paths) if paths is not None else default_paths(environ)
    try:
        config = load(looked_for, must_exist=given)
    except NothingConfigured:
        if not overrides.server:
            raise
        config = Kubeconfig()
    return _access(choose(config, context, overrides), environ, clock)


def default_paths(environ: Mapping[str, str]) -> list[Path]:
    """Give the files where kubectl looks."""
    if environ.get("KUBECONFIG"):
        return [Path(one) for one in environ["KUBECONFIG"].split(os.pathsep) if one]
    home = environ.get("HOME") or environ.get("USERPROFILE")
    return [Path(home, ".kube", "config")] if home else []


def _access(choice: Choice, environ: Mapping[str, str], clock: Clock) -> Access:
    cluster = choice.cluster
    address = server.parse(cluster.server, cluster.called("server"))
    _check(cluster)
    acting_as = headers.impersonating(choice.user)
    found: Source
    if address.is_secure:
        around = Surroundings(cluster, address, environ, clock)
        found, roots = identity.source(choice.user, around), _roots(cluster, clock)
    else:
        # As in client-go: nothing that proves who we are is sent in the clear.
        identity.check(choice.user)
        found, roots = Given(), None
    return Access(
        server=address.url,
        credentials=Standing(found, roots, acting_as),
        namespace=choice.namespace,
        server_name=cluster.tls_server_name or None,
        proxy=_proxy(cluster, address.url, environ),
        disable_compression=cluster.disable_compression,
    )


def _check(cluster: Cluster) -> None:
    if cluster.insecure and (cluster.ca or cluster.ca_data):
        raise ConfigError(
            f"{cluster.place}: insecure-skip-tls-verify and certificate-authority"
            " exclude each other; remove one"
        )


def _roots(cluster: Cluster, clock: Clock) -> Reread[tls.Roots]:
    if not cluster.ca and not cluster.ca_data:
        return Reread([], lambda _: tls.Roots(insecure=cluster.insecure), clock)
    ca = Content.of(cluster.called("certificate-authority"), cluster.ca_data, cluster.ca)
    return Reread([ca], lambda data: tls.Roots(tls.authorities(data[0], ca.name)), clock)


def _proxy(cluster: Cluster, url: str, environ: Mapping[str, str]) -> str | None:
    if cluster.proxy_url:
        return proxy.checked(cluster.proxy_url, cluster.called("proxy-url"))
    return proxy.from_environment(url, environ)
