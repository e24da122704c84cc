"""A limit on requests per second, with a burst: as a bucket of tokens that fills up again."""

from kedge.aio.clock import Clock


class Limit:
    """Lets `per_second` pass, and `burst` at once after a rest; in the order of asking."""

    def __init__(self, per_second: float, burst: int, clock: Clock) -> None:
        """Begin with a full bucket; 0 per second: no limit."""
        if per_second < 0 or (per_second and burst < 1):
            raise ValueError("a limit needs a rate of at least 0 and a burst of at least 1")
        self._rate = per_second
        self._burst = burst
        self._clock = clock
        self._tokens = float(burst)
        self._filled = clock.monotonic()

    async def acquire(self, count: int = 1) -> float:
        """Wait for one's turn, or for that of the last of several; give the seconds that took."""
        wait = self._reserve(count)
        if wait > 0:
            await self._clock.sleep(wait)
        return wait

    def _reserve(self, count: int) -> float:
        """Take tokens, on credit if need be: who comes later waits for longer."""
        if not self._rate:
            return 0.0
        now = self._clock.monotonic()
        self._tokens = min(self._burst, self._tokens + (now - self._filled) * self._rate)
        self._filled = now
        self._tokens -= count
        return max(0.0, -self._tokens / self._rate)
