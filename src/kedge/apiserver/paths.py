"""Paths that are no resources: health, version, discovery, OpenAPI, the list of paths."""

from collections.abc import Callable

from kedge.apiserver.health import Health
from kedge.apiserver.http.handler import Exchange
from kedge.apiserver.http.reply import Reply, document_reply, text_reply
from kedge.apiserver.routing import not_allowed, unknown

VERSION_PATH = "/version"
VERSION = {
    "major": "1",
    "minor": "34",
    "emulationMajor": "1",
    "emulationMinor": "34",
    "minCompatibilityMajor": "1",
    "minCompatibilityMinor": "33",
    "gitVersion": "v1.34.4+kedge",
    "gitCommit": "",
    "gitTreeState": "clean",
    "buildDate": "1970-01-01T00:00:00Z",
    "goVersion": "",
    "compiler": "CPython",
    "platform": "",
}
OWN = (
    "/.well-known/openid-configuration",
    "/api",
    "/apis",
    "/apis/",
    "/openapi/v2",
    "/openapi/v3",
    "/openapi/v3/",
    "/openid/v1/jwks",
    VERSION_PATH,
)

Document = Callable[[Exchange], Reply | None]
"""Answers a path, or says with None that it does not know it."""


class Paths:
    """Answers plain paths. Most do not care for the method; those behind a router only take GET."""

    def __init__(
        self, documents: list[Document], healthy: Callable[[], bool], known: Callable[[], list[str]]
    ) -> None:
        """Ask `documents` in turn; `known` lists the paths of the groups for the front page."""
        self.documents = documents
        self.health = Health(healthy)
        self.known = known

    async def __call__(self, exchange: Exchange) -> Reply:
        """Give the answer of one path."""
        path = exchange.target.path
        if path == "/":
            return document_reply({"paths": self.paths()})
        if path.startswith(VERSION_PATH):
            return self._version(path, exchange.request.method)
        reply = self.health(path, exchange.query)
        if reply is not None:
            return reply
        for document in self.documents:
            reply = document(exchange)
            if reply is not None:
                return reply
        return text_reply(404, "404 page not found\n")

    def _version(self, path: str, method: str) -> Reply:
        rest = path.removeprefix(VERSION_PATH)
        if rest and not rest.startswith("/"):
            return text_reply(404, "404 page not found\n")
        if rest.strip("/"):
            raise unknown()
        if method != "GET":
            raise not_allowed()
        return document_reply(VERSION)

    def paths(self) -> list[str]:
        """All plain paths."""
        return sorted({*OWN, *self.health.paths(), *self.known()})
