"""Whether and when a request that failed is sent again. Pure."""

from dataclasses import dataclass, field
from typing import Final

from kedge.aio.backoff import Backoff
from kedge.client.errors import ClientError, Unreachable
from kedge.client.requests import Request
from kedge.client.responses import Response
from kedge.client.where import ConfigError, LoginFailed

REFUSED: Final = 429
"""Too many requests: the server has not looked at it."""
BROKEN: Final = frozenset({500, 502, 503, 504})
"""The server, or something before it, failed; whether the request was done is not known."""

Outcome = Response | ClientError


@dataclass(frozen=True, slots=True)
class Retrying:
    """How often, and after what time."""

    attempts: int = 5
    """Sent so often at most; 1: never again."""
    backoff: Backoff = field(default_factory=lambda: Backoff(first=0.2, most=10.0))
    """Where the server names no time itself."""
    patience_seconds: float = 60.0
    """A server that wants more time than this gets no second request."""

    def delay(self, request: Request, outcome: Outcome, attempt: int) -> float | None:
        """Give the seconds to wait before the next attempt; None: this was the last.

        What surely was not done may always be sent again; where that is not known, only what
        does no harm when it is done twice.
        """
        if attempt >= self.attempts or not is_passing(request, outcome):
            return None
        wanted = outcome.retry_after if isinstance(outcome, Response) else None
        if wanted is None:
            return self.backoff.delay(attempt)
        # Everyone who was sent away was told the same time.
        spread = self.backoff.jitter * self.backoff.draw()
        return wanted + spread if wanted <= self.patience_seconds else None


def is_passing(request: Request, outcome: Outcome) -> bool:
    """Tell whether the failure may pass, and sending again does no harm."""
    if isinstance(outcome, (Unreachable, LoginFailed)):
        return True
    if isinstance(outcome, ConfigError):
        return False
    if isinstance(outcome, ClientError):
        return request.repeatable
    if outcome.code == REFUSED:
        return True
    return outcome.code in BROKEN and request.repeatable
