"""From a user of a kubeconfig to the source of its proof, after checking that it is one."""

from pathlib import Path
from typing import Final

from kedge.aio.clock import Clock
from kedge.client.where import headers, tls
from kedge.client.where.credentials import Authorization, Fixed, FromFile, Given, Source
from kedge.client.where.entries import AuthProvider, User
from kedge.client.where.errors import ConfigError
from kedge.client.where.fields import decoded
from kedge.client.where.files import Content, Reread
from kedge.client.where.kubeconfig import resolved
from kedge.client.where.oidc import Oidc
from kedge.client.where.plugin import Plugin
from kedge.client.where.pod import from_file
from kedge.client.where.surroundings import Surroundings
from kedge.client.where.tokens import KubeconfigTokens
from kedge.client.where.web import Web


def source(user: User, around: Surroundings) -> Source:
    """Give the source of proof: a program only if nothing else is there, as in client-go."""
    check(user)
    pair = _pair(user, around.clock)
    header = _header(user, around)
    if header is None and pair is None and user.exec is not None:
        return Plugin(user.exec, around)
    if header is None and user.auth_provider is not None:
        header = _provided(user, user.auth_provider, around)
    if header is None and (around.server.username or around.server.password):
        header = Fixed(headers.basic(around.server.username, around.server.password))
    return Given(header, pair)


def check(user: User) -> None:
    """Refuse fields that contradict each other; raises ConfigError."""
    if (user.token or user.token_file) and (user.username or user.password):
        raise ConfigError(f"{user.place}: token and username or password exclude each other")
    if user.exec is not None and user.auth_provider is not None:
        raise ConfigError(f"{user.place}: exec and auth-provider exclude each other")


def _pair(user: User, clock: Clock) -> Reread[tls.Pair] | None:
    if not user.client_certificate and not user.client_certificate_data:
        return None
    if not user.client_key and not user.client_key_data:
        raise ConfigError(
            f"{user.place}.client-key or client-key-data must go with the certificate"
        )
    certificate = Content.of(
        user.called("client-certificate"), user.client_certificate_data, user.client_certificate
    )
    key = Content.of(user.called("client-key"), user.client_key_data, user.client_key)
    return read_pair(certificate, key, clock)


def read_pair(certificate: Content, key: Content, clock: Clock) -> Reread[tls.Pair]:
    """Read a certificate and its key, now and whenever they change."""

    def make(data: list[bytes]) -> tls.Pair:
        return tls.pair(data[0], data[1], certificate.name, key.name)

    return Reread([certificate, key], make, clock)


def _header(user: User, around: Surroundings) -> Authorization | None:
    if user.token_file:
        return _token_file(user, around.clock)
    if user.token:
        return Fixed(headers.bearer(user.token, user.called("token")))
    if user.username or user.password:
        return Fixed(headers.basic(user.username, user.password))
    return None


def _token_file(user: User, clock: Clock) -> Authorization:
    """Read a token file; as in client-go, a token beside it counts until the file can be read."""
    file = Content(user.called("tokenFile"), path=Path(user.token_file))
    spare = headers.bearer(user.token, user.called("token")) if user.token else None
    return FromFile(Reread([file], lambda data: from_file(data[0], file.name), clock, spare))


_REPLACEMENTS: Final = {
    "gcp": "gke-gcloud-auth-plugin",
    "azure": "kubelogin",
}
"""Programs to use with exec in place of logins that client-go gave up."""


def _provided(user: User, provider: AuthProvider, around: Surroundings) -> Authorization:
    if provider.name != "oidc":
        instead = _REPLACEMENTS.get(provider.name, "a credential plugin")
        raise ConfigError(
            f"{provider.place}.name must be oidc, as no other is supported; use exec with {instead}"
        )
    tokens = KubeconfigTokens(user.origin, user.name) if user.origin else None
    web = Web(_provider_roots(provider, user, around.clock), around.environ)
    return Oidc(provider, tokens, web, around.clock)


def _provider_roots(provider: AuthProvider, user: User, clock: Clock) -> Reread[tls.Roots]:
    name = f"{provider.place}.config.idp-certificate-authority"
    file = provider.config.get("idp-certificate-authority", "")
    text = provider.config.get("idp-certificate-authority-data", "")
    if not file and not text:
        return Reread([], lambda _: tls.Roots(), clock)
    ca = Content.of(name, decoded(text, f"{name}-data"), _provider_file(file, user))
    return Reread([ca], lambda data: tls.Roots(tls.authorities(data[0], ca.name)), clock)


def _provider_file(name: str, user: User) -> str:
    """Look beside the kubeconfig, as for other files; then where we are, as client-go does."""
    beside = resolved(name, user.origin) if user.origin else name
    return beside if Path(beside).exists() else name
