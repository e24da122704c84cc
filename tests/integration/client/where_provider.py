"""A small identity provider on a port of its own: discovery, and tokens for refresh tokens."""

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiohttp import web

from tests.unit.client.where.material import made


@dataclass
class Provider:
    """What it gives out, and what it was asked."""

    id_token: str
    next_refresh: str = ""
    wants_secret_in_form: bool = False
    url: str = ""
    asked: list[dict[str, Any]] = field(default_factory=list)

    async def discover(self, _: web.Request) -> web.Response:
        return web.json_response({"issuer": self.url, "token_endpoint": f"{self.url}/token"})

    async def trade(self, request: web.Request) -> web.Response:
        form = dict(await request.post())
        self.asked.append({**form, "header": request.headers.get("Authorization", "")})
        if self.wants_secret_in_form and "client_secret" not in form:
            return web.json_response({"error": "invalid_client"}, status=401)
        if form.get("refresh_token") != "refresh-1":
            text = f"{form.get('refresh_token')!r} is not known"
            told = {"error": "invalid_grant", "error_description": text}
            return web.json_response(told, status=400)
        answer = {"id_token": self.id_token, "access_token": "a", "token_type": "Bearer"}
        if self.next_refresh:
            answer["refresh_token"] = self.next_refresh
        return web.json_response(answer)


@asynccontextmanager
async def running(provider: Provider, folder: Path) -> AsyncIterator[Provider]:
    """Serve over HTTPS, with a certificate that is its own authority: `made("idp")`."""
    one = made("idp")
    (folder / "idp.crt").write_bytes(one.certificate)
    (folder / "idp.key").write_bytes(one.key)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(folder / "idp.crt", folder / "idp.key")
    app = web.Application()
    app.router.add_get("/realm/.well-known/openid-configuration", provider.discover)
    app.router.add_post("/realm/token", provider.trade)
    runner = web.AppRunner(app)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context)
        await site.start()
        port = runner.addresses[0][1]
        provider.url = f"https://127.0.0.1:{port}/realm"
        yield provider
    finally:
        await runner.cleanup()
