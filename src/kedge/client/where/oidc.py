"""Tokens of an OpenID Connect provider, renewed with a refresh token as client-go does."""

import logging
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Final, Protocol

from kedge.aio.clock import Clock
from kedge.client.where import headers
from kedge.client.where.entries import AuthProvider
from kedge.client.where.errors import ConfigError, LoginFailed
from kedge.client.where.flight import OneFlight
from kedge.client.where.jwt import expiry
from kedge.client.where.refresh import refresh
from kedge.client.where.web import Fetch

logger = logging.getLogger(__name__)

EARLY: Final = timedelta(seconds=10)
"""How long before its end a token counts as expired: clocks differ."""
RENEWED_SECONDS: Final = 60.0
"""For how long a renewed token is as good as the next one would be, even if it is refused."""
SAVE_AGAIN_SECONDS: Final = 30.0
"""How long to wait before tokens are written again that could not be written."""
TOKEN: Final = "id-token"
REFRESH: Final = "refresh-token"
_LONG_AGO: Final = datetime.min.replace(tzinfo=UTC)


class Tokens(Protocol):
    """Where tokens are kept between two runs of a program."""

    def load(self) -> Mapping[str, str]:
        """Give the provider's configuration as it is now. Raises ConfigError."""

    def save(self, changes: Mapping[str, str]) -> None:
        """Write new values. Raises ConfigError."""


class Oidc:
    """An id-token until it expires, then another one."""

    def __init__(
        self, provider: AuthProvider, tokens: Tokens | None, fetch: Fetch, clock: Clock
    ) -> None:
        """Check what a renewal needs; raises ConfigError."""
        self._place = f"{provider.place}.config"
        for name in ("idp-issuer-url", "client-id"):
            if not provider.config.get(name):
                raise ConfigError(f"{self._place}.{name} must be given")
        self._config = dict(provider.config)
        self._tokens = tokens
        self._fetch = fetch
        self._clock = clock
        self._flight: OneFlight[str] = OneFlight()
        self._header: str | None = None
        self._expires = _LONG_AGO
        self._refused: str | None = None
        self._renewed: float | None = None
        self._unsaved: dict[str, str] = {}
        self._save_due = 0.0
        self._take(self._config)
        if self._valid() is None and not self._config.get(REFRESH):
            raise ConfigError(
                f"{self._place} must have a valid {TOKEN}, or a {REFRESH} to get one; log in again"
            )

    async def value(self) -> str | None:
        """Give the header with a token that is valid. Raises LoginFailed."""
        if self._unsaved and self._clock.monotonic() >= self._save_due:
            self._save()
        return self._valid() or await self._flight.share(self._valid, self._renew)

    def refused(self, value: str | None) -> bool:
        """Forget a token, unless it has just been fetched: the next one would be no better."""
        if value != self._header:
            return True
        now, renewed = self._clock.monotonic(), self._renewed
        if not self._config.get(REFRESH) or (
            renewed is not None and now < renewed + RENEWED_SECONDS
        ):
            return False
        self._refused, self._header = self._header, None
        return True

    def _valid(self) -> str | None:
        return self._header if self._clock.now() + EARLY < self._expires else None

    def _take(self, config: Mapping[str, str]) -> bool:
        """Use the token of a configuration if it is one; tell whether it is."""
        token = config.get(TOKEN, "")
        expires = expiry(token)
        if expires is None:
            return False
        header = headers.bearer(token, f"{self._place}.{TOKEN}")
        if header != self._refused:
            self._header, self._expires = header, expires
        return True

    async def _renew(self) -> str:
        self._look()
        header = self._valid()
        if header is not None:
            return header
        if not self._config.get(REFRESH):
            raise LoginFailed(f"{self._place}.{TOKEN} has expired; log in again")
        changes = await refresh(self._config, self._fetch, self._place)
        self._refused = None
        self._config.update(changes)
        if not self._take(changes) or self._header is None:
            raise LoginFailed(f"{self._place}: the provider's id_token is not a token")
        self._renewed = self._clock.monotonic()
        self._unsaved.update(changes)
        self._save()
        return self._header

    def _look(self) -> None:
        """Take over what another program has written: a refresh token may serve only once."""
        if self._tokens is None or self._unsaved:
            return
        try:
            found = self._tokens.load()
        except ConfigError as exc:
            logger.warning("tokens not read again", extra={"reason": str(exc)})
            return
        for name in (TOKEN, REFRESH):
            if found.get(name):
                self._config[name] = found[name]
        self._take(self._config)

    def _save(self) -> None:
        """Write new tokens back; if that fails they still serve this program."""
        if self._tokens is None:
            self._unsaved.clear()
            return
        try:
            self._tokens.save(self._unsaved)
        except ConfigError as exc:
            self._save_due = self._clock.monotonic() + SAVE_AGAIN_SECONDS
            logger.warning("renewed tokens not written", extra={"reason": str(exc)})
        else:
            self._unsaved.clear()
