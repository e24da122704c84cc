"""What a restore does with its plans: writes them or, for a preview, only looks."""

from dataclasses import dataclass
from typing import Protocol

from kedge.archive.item import Place
from kedge.engine.discovery import Served
from kedge.engine.restore.ledger import Result
from kedge.engine.restore.plan import Plan
from kedge.kube.kind import Object


@dataclass(frozen=True, slots=True)
class Deed:
    """What was done with a plan, or would be."""

    result: Result
    warnings: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


class NamespaceError(Exception):
    """A namespace that objects can not go into; says why."""


class Hand(Protocol):
    """Carries out plans."""

    async def put(self, plan: Plan) -> Deed:
        """Make an object be what it is planned to be; raises ApiError and ClientError."""

    async def ensure(self, namespace: Object) -> bool:
        """Make a namespace unless it is there; tell whether it was made. Raises NamespaceError."""

    async def settle(self, definitions: list[Object]) -> Served:
        """Wait until what definitions that came back define is served; tell what is."""

    def tell(self, place: Place, result: Result, why: str) -> None:
        """Hear of an object, where it would be, for which nothing was to be put."""
