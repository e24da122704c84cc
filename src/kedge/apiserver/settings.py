"""How the server runs."""

from dataclasses import dataclass
from pathlib import Path

MEMORY = ":memory:"


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """What can be chosen; the defaults are what `kedge apiserver` does without flags."""

    data: str = MEMORY
    """A folder for the database, certificates and tokens; `:memory:` leaves nothing behind."""
    host: str = "127.0.0.1"
    """Loopback: whoever wants to be reached from elsewhere must say so."""
    port: int = 0
    """0 takes any free port."""
    kubeconfig: Path | None = None
    """Where the admin's kubeconfig is written; None: into the data folder."""
    token_file: Path | None = None
    """Users by token, a line each: token,user,uid,"group1,group2"."""
    names: tuple[str, ...] = ()
    """More names and addresses for the server's certificate."""
