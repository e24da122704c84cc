"""Paths that are no resources: health, version, discovery, OpenAPI, the list of paths."""

from collections.abc import Callable, Sequence

from kedge.apiserver.http.handler import Exchange
from kedge.apiserver.http.reply import Reply, json_reply, text_reply
from kedge.apiserver.server import not_allowed

HEALTH = ("/healthz", "/livez", "/readyz")
CHECKS = ("ping", "log", "etcd")
"""The checks that are the same on every kube-apiserver; etcd stands for the store."""

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

Document = Callable[[Exchange], Reply | None]
"""Answers a path, or says with None that it does not know it."""


class Paths:
    """Answers GET of plain paths."""

    def __init__(
        self, documents: list[Document], healthy: Callable[[], bool], known: Callable[[], list[str]]
    ) -> None:
        """Ask `documents` in turn; `known` lists the paths of the groups for the front page."""
        self.documents = documents
        self.healthy = healthy
        self.known = known

    async def __call__(self, exchange: Exchange) -> Reply:
        """Give the answer of one path."""
        path = exchange.target.path
        if path != "/" and path.endswith("/"):
            path = path.rstrip("/")
        if exchange.target.verb not in {"get", "head"}:
            return self._other_method(path)
        if path == "/" or not path:
            return json_reply(200, {"paths": self.paths()})
        if path == "/version":
            return json_reply(200, VERSION)
        if path.startswith(HEALTH):
            return self._health(path, exchange)
        for document in self.documents:
            reply = document(exchange)
            if reply is not None:
                return reply
        return text_reply(404, "404 page not found\n")

    def _other_method(self, path: str) -> Reply:
        if path in self.paths():
            raise not_allowed()
        return text_reply(404, "404 page not found\n")

    def paths(self) -> list[str]:
        """All plain paths."""
        own = ["/.well-known/openid-configuration", "/api", "/apis", "/openapi/v2", "/openapi/v3"]
        own += ["/openid/v1/jwks", "/version", *HEALTH]
        own += [f"{health}/{check}" for health in HEALTH for check in CHECKS]
        return sorted({*own, *self.known()})

    def _health(self, path: str, exchange: Exchange) -> Reply:
        name, _, check = path[1:].partition("/")
        if f"/{name}" not in HEALTH or (check and check not in CHECKS):
            return text_reply(404, "404 page not found\n")
        if not self.healthy():
            return text_reply(500, f"{_checks(failed='etcd')}{name} check failed\n")
        if "verbose" in exchange.query.values and not check:
            excluded = exchange.query.values.get("exclude", [])
            return text_reply(200, f"{_checks(excluded)}{name} check passed\n")
        return text_reply(200, "ok")


def _checks(excluded: Sequence[str] = (), failed: str = "") -> str:
    lines = []
    for one in CHECKS:
        if one == failed:
            lines.append(f"[-]{one} failed: reason withheld\n")
        elif one not in excluded:
            lines.append(f"[+]{one} ok\n")
    return "".join(lines)
