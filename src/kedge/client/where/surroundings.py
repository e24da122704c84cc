"""What a login may depend on besides the user's entry."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from kedge.aio.clock import Clock
from kedge.client.where.entries import Cluster
from kedge.client.where.server import Server


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The cluster to log in to, and the machine that we run on."""

    cluster: Cluster
    server: Server
    environ: Mapping[str, str] = field(repr=False)
    clock: Clock
