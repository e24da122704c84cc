"""Whether a cluster knows the kinds that controllers watch: a watch would wait for ever."""

import logging
from collections.abc import Iterable

from kedge.api.crd import DEFINITIONS
from kedge.cli.operator.rights import BY_CONTROLLER, watched
from kedge.client import Client
from kedge.kube.errors import NotFound

logger = logging.getLogger(__name__)


class MissingKinds(Exception):
    """The cluster does not know the kinds that we work on."""


async def not_run(client: Client, disabled: frozenset[str]) -> frozenset[str]:
    """Name the controllers that do not run: those that are disabled, and some without their kinds.

    Beside a Velero, nobody needs to know more than Velero's kinds: what works on others stays
    away. Raises MissingKinds where a kind of Velero's is missing.
    """
    missing = await _unknown(client, watched(BY_CONTROLLER.keys() - disabled))
    left_out = set(disabled)
    for name in BY_CONTROLLER.keys() - disabled:
        lacking = sorted(watched({name}) & missing)
        if not lacking:
            continue
        plural = ".".join(reversed(lacking[0]))
        hint = "`kedge install --crds-only` makes it known"
        if not BY_CONTROLLER[name].is_spare:
            raise MissingKinds(
                f"the cluster does not know {plural}: {hint}, and"
                " --disable-controllers leaves out what needs it"
            )
        logger.info("a controller does not run", extra={"controller": name, "unknown": plural})
        left_out.add(name)
    return frozenset(left_out)


async def _unknown(client: Client, needed: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    """Give those of our kinds that are needed and not served."""
    wanted = set(needed)
    missing = set()
    for kind in (definition.kind for definition in DEFINITIONS):
        if (kind.group, kind.plural) not in wanted:
            continue
        try:
            known = {one.name for one in await client.discovery.resources(kind)}
        except NotFound:
            known = set()
        if kind.plural not in known:
            missing.add((kind.group, kind.plural))
    return missing
