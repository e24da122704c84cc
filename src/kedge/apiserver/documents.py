"""The documents of the server: discovery, OpenAPI, and the keys of its tokens."""

from kedge.apiserver.auth import openid
from kedge.apiserver.auth.jwt import Signer
from kedge.apiserver.crd.openapi import fragment
from kedge.apiserver.discovery.serving import Discovery
from kedge.apiserver.http.accept import JSON, accept_route
from kedge.apiserver.http.handler import Exchange
from kedge.apiserver.http.reply import Reply, encode
from kedge.apiserver.openapi.serving import OpenApi
from kedge.apiserver.paths import Document
from kedge.apiserver.registry import Registry
from kedge.apiserver.routing import not_allowed

MEDIA = {openid.CONFIGURATION_PATH: (JSON,), openid.KEYS_PATH: (openid.KEYS_MEDIA,)}


class Documents:
    """What can be read of the server itself. `address` is host and port, once it listens."""

    def __init__(self, registry: Registry, signer: Signer) -> None:
        """Tell of what `registry` has."""
        self.address = ""
        self.signer = signer
        self.discovery = Discovery(registry, lambda: self.address)
        self.openapi = OpenApi(registry, fragment)
        self.all: list[Document] = [self.discovery, self.openapi, self.openid]

    def openid(self, exchange: Exchange) -> Reply | None:
        """Answer how service-account tokens can be checked."""
        path = exchange.target.path.rstrip("/")
        if path not in {openid.CONFIGURATION_PATH, openid.KEYS_PATH}:
            return None
        if exchange.request.method != "GET":
            raise not_allowed()
        accept_route(exchange.request.headers.get("Accept", ""), MEDIA[path])
        if path == openid.CONFIGURATION_PATH:
            found = openid.configuration(self.signer, f"https://{self.address}")
            return Reply(200, encode(found), fixed=True)
        return Reply(200, encode(openid.keys(self.signer)), openid.KEYS_MEDIA)
