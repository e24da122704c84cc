"""Reads the administrator's policy where it is written; a change counts without a restart."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from kedge.aio.clock import Clock
from kedge.api.nonadmin.group import GROUP, VERSION
from kedge.client import Client, Selection
from kedge.kube.errors import Forbidden, NotFound
from kedge.kube.foreign import cut
from kedge.kube.kind import Kind, Object, plain
from kedge.selfservice.policy import (
    NOTHING,
    POLICY_NAME,
    Policy,
    has_policy,
    policy_of_application,
    policy_of_config,
)

logger = logging.getLogger(__name__)

CONFIG_MAP: Final = plain("v1", "ConfigMap", "configmaps")
APPLICATION: Final[Kind[Object]] = plain(
    f"{GROUP}/{VERSION}", "DataProtectionApplication", "dataprotectionapplications"
)
FRESH_SECONDS: Final = 5.0
"""What was read of an application counts for so long."""
ABSENT_SECONDS: Final = 60.0
"""So long it is not looked again for a kind that the cluster does not have."""
AGAIN_SECONDS: Final = 30.0
"""So often those are judged anew whom an application refuses: nobody follows it."""


def policy_selection(home: str) -> Selection:
    """Select the ConfigMap with the policy, for a cache of it."""
    return Selection(home, fields=f"metadata.name={POLICY_NAME}")


@dataclass(slots=True)
class Policies:
    """Gives the policy that counts now: the ConfigMap's, else the application's, else none."""

    client: Client
    home: str
    """The server's namespace."""
    config: Callable[[], Object | None]
    """Gives the ConfigMap, such as from a cache."""
    clock: Clock
    _read: tuple[str, Policy] = ("", NOTHING)
    _application: Policy = NOTHING
    _until: float = field(default=float("-inf"))

    async def current(self) -> Policy:
        """Give the policy; raises ApiError and ClientError where it can not be found out."""
        config = self.config()
        if config is not None:
            return self._of_config(config)
        if self.clock.monotonic() >= self._until:
            await self._look()
        return self._application

    @property
    def again_seconds(self) -> float | None:
        """Say when to judge anew what was refused; None: when the policy changes, which is told."""
        is_told = self.config() is not None or self._application == NOTHING
        return None if is_told else AGAIN_SECONDS

    def _of_config(self, config: Object) -> Policy:
        meta = config["metadata"]
        version = f"{meta.get('uid')} {meta.get('resourceVersion')}"
        if self._read[0] != version:
            policy = policy_of_config(config)
            for problem in policy.problems:
                logger.warning("the policy can not be read", extra={"problem": cut(problem)})
            self._read = (version, policy)
        return self._read[1]

    async def _look(self) -> None:
        found, fresh = NOTHING, FRESH_SECONDS
        try:
            async for one in self.client.list(APPLICATION, Selection(self.home)):
                if has_policy(one):
                    found = policy_of_application(one)
                    break
        except NotFound:
            fresh = ABSENT_SECONDS
        except Forbidden as exc:
            logger.warning("no application can be read", extra={"error": cut(str(exc))})
            found, fresh = await self._unread()
        self._application, self._until = found, self.clock.monotonic() + fresh

    async def _unread(self) -> tuple[Policy, float]:
        """Say what counts while no application may be read: where there are some, nothing goes."""
        self.client.discovery.forget(APPLICATION)
        served = await self.client.discovery.resources(APPLICATION)
        if not any(one.name == APPLICATION.plural for one in served):
            return NOTHING, ABSENT_SECONDS
        why = f"the server may not list {APPLICATION.plural} in {self.home}: apply its roles again"
        return Policy(problems=(why,)), FRESH_SECONDS
