"""Metrics and health over HTTP, for Prometheus and the kubelet."""

import asyncio
import gzip
import logging
from dataclasses import dataclass
from typing import Final

from aiohttp import web
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import generate_latest
from prometheus_client.openmetrics.exposition import generate_latest as generate_openmetrics

from kedge.runtime.accept import takes_gzip, wants_openmetrics
from kedge.runtime.health import Check, Report, report, report_one

logger = logging.getLogger(__name__)

PLAIN: Final = "text/plain; charset=utf-8"
PROMETHEUS: Final = "text/plain; version=0.0.4; charset=utf-8"
OPENMETRICS: Final = "application/openmetrics-text; version=1.0.0; charset=utf-8"
READS: Final = ("GET", "HEAD")
STOP_SECONDS: Final = 1.0
"""For answers that are under way at the end."""


class ServingError(Exception):
    """The address can not be had."""


@dataclass(frozen=True, slots=True)
class ServingSettings:
    """Where metrics and health are served."""

    host: str = "0.0.0.0"
    """All addresses of IPv4, as a pod has one that is not known before; `::` is all of both."""
    port: int | None = 8080
    """0 takes a free one; None serves nothing."""

    def __post_init__(self) -> None:
        """Refuse what is no port; raises ValueError."""
        if self.port is not None and not 0 <= self.port <= 65535:
            raise ValueError(f"port must be 0 to 65535, or none, and is {self.port}")


class Serving:
    """Answers /metrics, /healthz, /livez and /readyz while it runs.

    /healthz is another name of /livez.
    """

    def __init__(self, settings: ServingSettings, registry: CollectorRegistry) -> None:
        """Serve when it is run."""
        self._settings = settings
        self._registry = registry
        self._live: dict[str, Check] = {}
        self._ready: dict[str, Check] = {}
        self._probes = {"healthz": self._live, "livez": self._live, "readyz": self._ready}
        self.port: int | None = None
        """The port that was taken; None before `started` is set, and if nothing is served."""
        self.started = asyncio.Event()

    def check_live(self, name: str, check: Check) -> None:
        """Add a check that fails when only a new process can help."""
        self._live[name] = check

    def check_ready(self, name: str, check: Check) -> None:
        """Add a check that fails as long as this process is no use."""
        self._ready[name] = check

    async def run(self) -> None:
        """Serve until cancelled; raises ServingError."""
        settings = self._settings
        if settings.port is None:
            self.started.set()
            return
        runner = web.ServerRunner(web.Server(self._answer), shutdown_timeout=STOP_SECONDS)
        await runner.setup()
        try:
            site = web.TCPSite(runner, settings.host, settings.port)
            try:
                await site.start()
            except OSError as exc:
                where = f"{settings.host}:{settings.port}"
                raise ServingError(f"nothing can be served on {where}: {exc.strerror}") from exc
            self.port = runner.addresses[0][1]
            self.started.set()
            logger.info("metrics and health are served", extra={"port": self.port})
            await asyncio.Event().wait()
        finally:
            await runner.cleanup()

    async def _answer(self, request: web.BaseRequest) -> web.Response:
        response = self._respond(request)
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["Server"] = "kedge"
        return response

    def _respond(self, request: web.BaseRequest) -> web.Response:
        first, _, rest = request.path.strip("/").partition("/")
        if first not in self._probes and (first != "metrics" or rest):
            return _text(404, "404 page not found\n")
        if request.method not in READS:
            response = _text(405, "405 method not allowed\n")
            response.headers["Allow"] = ", ".join(READS)
            return response
        if first == "metrics":
            return self._metrics(request)
        return self._probe(request, first, rest)

    def _probe(self, request: web.BaseRequest, probe: str, check: str) -> web.Response:
        checks, query = self._probes[probe], request.query
        answer: Report | None
        if check:
            answer = report_one(checks, check)
        else:
            excluded = query.getall("exclude", [])
            answer = report(probe, checks, excluded, verbose="verbose" in query)
        if answer is None:
            return _text(404, "404 page not found\n")
        return _text(200 if answer.is_well else 500, answer.text)

    def _metrics(self, request: web.BaseRequest) -> web.Response:
        if wants_openmetrics(",".join(request.headers.getall("Accept", []))):
            body: bytes = generate_openmetrics(self._registry)  # type: ignore[no-untyped-call]
            media = OPENMETRICS
        else:
            body, media = generate_latest(self._registry), PROMETHEUS
        headers = {"Content-Type": media, "Vary": "Accept, Accept-Encoding"}
        if takes_gzip(",".join(request.headers.getall("Accept-Encoding", []))):
            body = gzip.compress(body, mtime=0)
            headers["Content-Encoding"] = "gzip"
        return web.Response(body=body, headers=headers)


def _text(status: int, text: str) -> web.Response:
    return web.Response(status=status, body=text.encode(), headers={"Content-Type": PLAIN})
