"""A refresh token traded for new tokens: discovery, then the provider's token endpoint."""

import json
import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote_plus, urlsplit

from kedge.client.where import headers
from kedge.client.where.errors import LoginFailed
from kedge.client.where.web import Answer, Fetch

DISCOVERY: Final = "/.well-known/openid-configuration"
_CODE: Final = re.compile(r"[a-z_]{1,64}")
_OK: Final = 200


async def refresh(config: Mapping[str, str], fetch: Fetch, place: str) -> dict[str, str]:
    """Give the values that changed in a provider's configuration. Raises LoginFailed."""
    endpoint = await _endpoint(config["idp-issuer-url"], fetch, place)
    answer = await _asked(config, endpoint, fetch)
    if answer.status != _OK:
        raise LoginFailed(
            f"{place}.refresh-token: the provider answered {answer.status}{_code(answer)};"
            " log in again if it goes on"
        )
    tokens = _object(answer)
    token = tokens.get("id_token")
    if not isinstance(token, str) or not token:
        raise LoginFailed(
            f"{place}: the provider's answer has no id_token; it may not give one on renewal,"
            " or the scope openid was not asked for at login"
        )
    changes = {"id-token": token}
    renewed = tokens.get("refresh_token")
    if isinstance(renewed, str) and renewed and renewed != config["refresh-token"]:
        changes["refresh-token"] = renewed
    return changes


async def _endpoint(issuer: str, fetch: Fetch, place: str) -> str:
    scheme = _scheme(issuer)
    if not scheme:
        raise LoginFailed(f"{place}.idp-issuer-url must be a URL: https://host/path")
    answer = await fetch.get(issuer.removesuffix("/") + DISCOVERY)
    if answer.status != _OK:
        raise LoginFailed(
            f"{place}.idp-issuer-url: the provider answered {answer.status} when asked for its"
            f" {DISCOVERY}"
        )
    endpoint = _object(answer).get("token_endpoint")
    found = _scheme(endpoint) if isinstance(endpoint, str) else ""
    if not found or (scheme == "https" and found != "https"):
        raise LoginFailed(
            f"{place}.idp-issuer-url: the provider's {DISCOVERY} has no token_endpoint"
            " that is as safe as the issuer"
        )
    return str(endpoint)


async def _asked(config: Mapping[str, str], endpoint: str, fetch: Fetch) -> Answer:
    """Show the client's secret in a header; in the form if the provider wants it so.

    Scopes are not sent, `extra-scopes` neither: a renewal has those of the login.
    """
    client, secret = config["client-id"], config.get("client-secret", "")
    form = {"grant_type": "refresh_token", "refresh_token": config["refresh-token"]}
    basic = headers.basic(quote_plus(client), quote_plus(secret))
    answer = await fetch.post(endpoint, form, basic)
    if answer.status == _OK:
        return answer
    form["client_id"] = client
    if secret:
        form["client_secret"] = secret
    return await fetch.post(endpoint, form, None)


def _scheme(url: str) -> str:
    """Give http or https, or nothing if this is not such a URL."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname)
        _ = parts.port
    except ValueError:
        return ""
    return parts.scheme if usable else ""


def _object(answer: Answer) -> dict[str, Any]:
    try:
        found = json.loads(answer.body)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _code(answer: Answer) -> str:
    """Give the error's code; its description may quote what was sent."""
    code = _object(answer).get("error")
    return f" ({code})" if isinstance(code, str) and _CODE.fullmatch(code) else ""
