"""How a client behaves."""

from dataclasses import dataclass, field

from kedge.client.retry import Retrying


@dataclass(frozen=True, slots=True)
class ClientSettings:
    """Bounds on what a client does; the defaults suit a controller."""

    per_second: float = 50.0
    """Requests per second over a longer time; 0: no limit. The server has limits of its own."""
    burst: int = 100
    """Requests at once after a rest."""
    answer_seconds: float = 32.0
    """For one answer, whole. A server gives up on a plain request after 60 s; most take none."""
    connect_seconds: float = 10.0
    """For a connection with its handshake."""
    deadline_seconds: float = 90.0
    """For a request with all its attempts and the time between them."""
    connections: int = 100
    """Open at once; watches hold one each."""
    page: int = 500
    """Objects in one answer to a list, as kubectl has it."""
    manager: str = "kedge"
    """The name under which fields are entered that this client sets."""
    user_agent: str = "kedge"
    exec_seconds: float = 60.0
    """For a command in a container, where the caller names no time."""
    output_bytes: int = 2**20
    """Of each output of such a command; what is beyond is thrown away, and counted."""
    quiet_seconds: float = 30.0
    """A command that says nothing for so long has its connection pinged: what stands between us
    closes those that are idle, most after a minute."""
    retrying: Retrying = field(default_factory=Retrying)
