"""Credentials from a program, as `client.authentication.k8s.io` lays down the exchange."""

import shutil
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Final

from kedge.client.where import document, headers, program, tls
from kedge.client.where.credentials import Proof
from kedge.client.where.entries import ExecConfig
from kedge.client.where.errors import ConfigError, LoginFailed, shown
from kedge.client.where.execinfo import GROUP, VERSIONS, asked
from kedge.client.where.fields import Fields
from kedge.client.where.flight import OneFlight
from kedge.client.where.masked import masked
from kedge.client.where.surroundings import Surroundings
from kedge.kube.times import TimeError, parse_time

SECONDS: Final = 60.0
"""How long a program may take; one that waits for a person at a browser is not for a server."""
_SECRETIVE: Final = ("TOKEN", "SECRET", "PASS", "KEY", "CREDENTIAL", "AUTH")
"""Parts of names of variables whose values are not to be shown."""
_TELLING: Final = 8
"""Characters of a word that a program gave, and that it must not repeat in a complaint."""


class Plugin:
    """A program that is run when credentials are needed, and again when they have expired."""

    def __init__(self, config: ExecConfig, around: Surroundings, seconds: float = SECONDS) -> None:
        """Check that the program could be run at all; raises ConfigError."""
        check(config)
        asked(config, around)
        self._config = config
        self._around = around
        self._seconds = seconds
        self._flight: OneFlight[Proof] = OneFlight()
        self._proof: Proof | None = None
        self._expires: datetime | None = None

    async def proof(self) -> Proof:
        """Give the last proof until it expires or is refused; all who wait share one run."""
        return self._fresh() or await self._flight.share(self._fresh, self._run)

    def refused(self, proof: Proof) -> bool:
        """Forget a proof, so that the program is run again."""
        if proof is self._proof:
            self._proof = None
        return True

    def _fresh(self) -> Proof | None:
        if self._expires is not None and self._around.clock.now() >= self._expires:
            return None
        return self._proof

    async def _run(self) -> Proof:
        config, environ = self._config, self._around.environ
        path = shutil.which(config.command, path=environ.get("PATH", ""))
        if path is None or not Path(path).is_absolute():  # as in Go: not from where we happen to be
            raise LoginFailed(self._text("was not found", config.install_hint))
        info = asked(config, self._around)
        variables = {**environ, **dict(config.env), "KUBERNETES_EXEC_INFO": info}
        try:
            outcome = await program.run([path, *config.args], variables, self._seconds)
        except TimeoutError:
            raise LoginFailed(self._text(f"did not end within {self._seconds:g} s")) from None
        except (OSError, ValueError) as exc:
            reason = exc.strerror if isinstance(exc, OSError) else "an argument is not valid"
            raise LoginFailed(self._text("cannot be run", str(reason))) from None
        self._proof, self._expires = self._taken(outcome)
        return self._proof

    def _taken(self, outcome: program.Outcome) -> tuple[Proof, datetime | None]:
        if outcome.code:
            how = f"failed with exit code {outcome.code}"
            if outcome.code < 0:
                how = f"was ended by signal {-outcome.code}"
            raise LoginFailed(self._text(how, self._complaint(outcome)))
        if outcome.is_cut:
            raise LoginFailed(self._text("wrote more than credentials can be"))
        try:
            return answered(outcome.output, self._config.api_version)
        except ConfigError as exc:
            raise LoginFailed(self._text("gave no credentials", str(exc))) from None

    def _complaint(self, outcome: program.Outcome) -> str:
        text = outcome.complaint.decode("utf-8", "replace")
        return masked(text, self._secrets(outcome.output.decode("utf-8", "replace")))

    def _secrets(self, output: str) -> Iterator[str]:
        """Give what the program must not tell: what it was given, and what it gave."""
        yield from (value for _, value in self._config.env)
        for name, value in self._around.environ.items():
            if any(part in name.upper() for part in _SECRETIVE):
                yield value
        words = output.replace('"', " ").replace("\\n", " ").split()
        yield from (word for word in words if len(word) >= _TELLING)

    def _text(self, problem: str, detail: str = "") -> str:
        command = shown(self._config.command)
        return f"{self._config.place}: {command!r} {problem}" + (
            f": {shown(detail)}" if detail.strip() else ""
        )


def check(config: ExecConfig) -> None:
    """Refuse what cannot be run, or not without a person at a terminal; raises ConfigError."""
    place, version = config.place, config.api_version
    if not config.command:
        raise ConfigError(f"{place}.command must name a program")
    if version not in VERSIONS:
        raise ConfigError(f"{place}.apiVersion must be {' or '.join(VERSIONS)}")
    for name, value in config.env:
        if not name or "=" in name or "\0" in name + value:
            raise ConfigError(f"{place}.env: each must have a name without '='")
    mode = config.interactive_mode
    if not mode and version == f"{GROUP}/v1":
        raise ConfigError(f"{place}.interactiveMode must be given: Never or IfAvailable")
    if mode == "Always":
        raise ConfigError(
            f"{place}.interactiveMode is Always, but standard input is not offered to the program;"
            " use one that can do without"
        )
    if mode not in {"", "Never", "IfAvailable"}:
        raise ConfigError(f"{place}.interactiveMode must be Never, IfAvailable or Always")


def answered(output: bytes, version: str) -> tuple[Proof, datetime | None]:
    """Read what a program wrote, and until when it holds; raises ConfigError."""
    answer = Fields(document.read(output, "its output"), "its output")
    if answer.text("kind") != "ExecCredential" or answer.text("apiVersion") != version:
        raise ConfigError(f"its output must be an ExecCredential of {version}, as is configured")
    status = answer.inner("status")
    if status is None:
        raise ConfigError("its output has no status")
    certificate, key = status.text("clientCertificateData"), status.text("clientKeyData")
    token = status.text("token")
    if bool(certificate) != bool(key):
        raise ConfigError("its output has only one of clientCertificateData and clientKeyData")
    if not token and not key:
        raise ConfigError("its output has neither a token nor a certificate")
    pair = None
    if key:
        names = status.place("clientCertificateData"), status.place("clientKeyData")
        pair = tls.pair(certificate.encode(), key.encode(), *names)
    header = headers.bearer(token, status.place("token")) if token else None
    return Proof(header, pair), _expiry(status)


def _expiry(status: Fields) -> datetime | None:
    text = status.text("expirationTimestamp")
    if not text:
        return None
    try:
        return parse_time(text)
    except TimeError:
        name = status.place("expirationTimestamp")
    raise ConfigError(f"{name} must be a time like 2030-01-02T15:04:05Z")
