"""`kedge nab policy`: what may be asked for, before anything is."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from kedge.cli.connection import NAMESPACE, context_options, namespace, on_cluster
from kedge.cli.flags import FlagCommand
from kedge.cli.output import output_option, show
from kedge.cli.program import as_called

if TYPE_CHECKING:
    from kedge.cli.nab.rules import Source
    from kedge.client import Client

HIDDEN = (
    "can not be read with your rights; `kedge nab describe` tells the rule that a request breaks, "
    "and what was filled in"
)


@click.command("policy", cls=FlagCommand)
@click.option(
    "--server-namespace",
    metavar="NAME",
    help="Namespace of the server, where the administrator's rules are.  [default: velero]",
)
@output_option
@context_options
def policy(server_namespace: str | None, output: str) -> None:
    """Print the rules for backups of your namespace.

    Those that always hold, and those of the administrator, as far as you may read them.
    """
    from kedge.cli.nab.rules import document, written

    environ = os.environ
    home = server_namespace or environ.get("KEDGE_NAMESPACE") or environ.get("VELERO_NAMESPACE")
    place = namespace()
    source = on_cluster(lambda client: _read(client, home or NAMESPACE))
    show(output, document(place, source), lambda: written(place, source))


async def _read(client: Client, home: str) -> Source:
    """Find the administrator's rules where the server finds them."""
    from kedge.cli.errors import Failure
    from kedge.cli.nab.rules import Source
    from kedge.kube.errors import Forbidden, NotFound
    from kedge.selfservice.policies import CONFIG_MAP
    from kedge.selfservice.policy import POLICY_NAME, policy_of_config

    where = f"ConfigMap {home}/{POLICY_NAME}"
    try:
        config = await client.get(CONFIG_MAP, POLICY_NAME, home)
        return Source(policy_of_config(config), where)
    except Forbidden:
        return Source(None, f"{where} {as_called(HIDDEN)}")
    except NotFound:
        return await _of_application(client, home, where)
    except ValueError as exc:
        raise Failure(str(exc)) from exc


async def _of_application(client: Client, home: str, where: str) -> Source:
    from kedge.cli.nab.rules import Source
    from kedge.client import Selection
    from kedge.kube.errors import Forbidden, NotFound
    from kedge.selfservice.policies import APPLICATION
    from kedge.selfservice.policy import NOTHING, has_policy, policy_of_application

    try:
        async for one in client.list(APPLICATION, Selection(home)):
            if has_policy(one):
                name = one["metadata"]["name"]
                place = f"DataProtectionApplication {home}/{name}"
                return Source(policy_of_application(one), place)
    except Forbidden:
        # A cluster forbids kinds that it does not have, too.
        if await _has_applications(client):
            return Source(None, f"DataProtectionApplications of {home} {as_called(HIDDEN)}")
    except NotFound:
        pass  # the cluster has no such kind
    return Source(NOTHING, f"nothing is enforced by a server in {home}: there is no {where}")


async def _has_applications(client: Client) -> bool:
    """Tell whether the cluster has DataProtectionApplications; who may not know assumes it."""
    from kedge.kube.errors import Forbidden, NotFound
    from kedge.selfservice.policies import APPLICATION

    try:
        served = await client.discovery.resources(APPLICATION)
    except Forbidden:
        return True
    except NotFound:
        return False
    return any(one.name == APPLICATION.plural for one in served)
