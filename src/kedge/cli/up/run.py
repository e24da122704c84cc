"""Starts the embedded API, makes our kinds known, and runs the controllers on it."""

import asyncio
import shlex
import shutil
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import click

from kedge.api.crd import crds
from kedge.api.velero.storage_location import BACKUP_STORAGE_LOCATION
from kedge.apiserver.app import ApiServer
from kedge.apiserver.auth.certificates import CertificateError
from kedge.apiserver.auth.tokens import TokenFileError
from kedge.apiserver.settings import ServerSettings
from kedge.cli.install.failure import InstallError
from kedge.cli.install.kinds import CRD, NAMESPACE, kind_of
from kedge.cli.install.tenants import policy_roles, tenant_roles
from kedge.cli.install.waiting import established
from kedge.cli.listening import start_refusal
from kedge.cli.operator.run import operator, plain_errors, run_until
from kedge.cli.operator.settings import OperatorSettings
from kedge.cli.program import NAME, PLUGIN, as_called, program
from kedge.cli.up.demo import DEMO, FERRY, FIRST
from kedge.cli.up.progress import Progress
from kedge.client import Client, ClientSettings, Writing
from kedge.client.patches import apply
from kedge.client.where import Access, explicit
from kedge.kube.errors import AlreadyExists
from kedge.kube.kind import Kind, Object
from kedge.store import StoreError

MANAGER: Final = Writing(manager="kedge-up")
LOCATIONS: Final = BACKUP_STORAGE_LOCATION.into(dict)
FILESYSTEM: Final = "kedge.dev/filesystem"
LOOK_SECONDS: Final = 0.02
"""Between two looks at kinds that are not served yet: the server is ours alone."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run."""

    server: ServerSettings
    operator: OperatorSettings
    objects: Path
    """Where backups are kept."""
    demo: bool = False
    again: str = ""
    """What to type to go on where it was; empty: nothing is kept."""


async def serve(plan: Plan, stop: asyncio.Event) -> None:
    """Run all of it until told to stop."""
    progress = Progress()
    progress.step("starting the Kubernetes API")
    try:
        async with ApiServer(plan.server) as server:
            address = server.address
            access = explicit(
                address.url, token=address.token, ca=address.pki.path("ca.crt").read_bytes()
            )
            with plain_errors():
                await _prepare(access, plan, progress)
                progress.step("starting the controllers")
                async with operator(access, _at_home(plan)) as manager:
                    progress.done()
                    click.echo(welcome(address.url, address.kubeconfig.resolve(), plan))
                    await run_until(stop, manager)
            click.echo(as_called(farewell(plan)))
    except (StoreError, TokenFileError, CertificateError, InstallError) as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        raise start_refusal(error, plan.server) from error


def _at_home(plan: Plan) -> OperatorSettings:
    """Take away the limit on requests, as the server is ours alone; keep objects beside its data.

    Downloads are for this machine only.
    """
    engine = replace(plan.operator.engine, objects_folder=plan.objects, download_port=0)
    return replace(plan.operator, client=ClientSettings(per_second=0), engine=engine)


async def _prepare(access: Access, plan: Plan, progress: Progress) -> None:
    """Make our kinds and the namespace known, and load the example."""
    async with Client(access, ClientSettings(per_second=0)) as client:
        progress.step("making our kinds known")
        kinds = {crd["metadata"]["name"]: crd for crd in crds()}
        for name, crd in kinds.items():
            await client.patch(CRD, name, apply(crd, force=True), None, MANAGER)
        await established(client, list(kinds), LOOK_SECONDS)
        namespace = plan.operator.namespace
        await _create(client, NAMESPACE, {"metadata": {"name": namespace}})
        for role in (*tenant_roles(), *policy_roles(namespace)):
            await _apply(client, role)
        await _create(client, LOCATIONS, _location(namespace))
        if plan.demo:
            progress.step("loading the example")
            for kind, obj in DEMO:
                await _create(client, kind, obj)


def _location(namespace: str) -> Object:
    """Give the place where backups are kept: a folder beside the data."""
    spec = {"provider": FILESYSTEM, "objectStorage": {"bucket": "default"}, "default": True}
    return {"metadata": {"name": "default", "namespace": namespace}, "spec": spec}


async def _apply(client: Client, obj: Object) -> None:
    name, namespace = obj["metadata"]["name"], obj["metadata"].get("namespace")
    await client.patch(kind_of(obj), name, apply(obj, force=True), namespace, MANAGER)


async def _create(client: Client, kind: Kind[Any], obj: Object) -> None:
    """Make an object, unless it is there: what a person has changed since then stays."""
    try:
        await client.create(kind, obj)
    except AlreadyExists:
        return


def welcome(url: str, kubeconfig: Path, plan: Plan) -> str:
    """Say where it is, and what to try."""
    tried = _shown(_program()) if plan.demo else _begun(_program(), plan.operator.namespace)
    return "\n".join(
        [
            f"ready: {url} (kubeconfig: {kubeconfig})",
            "",
            "In another terminal:",
            "",
            f"  export KUBECONFIG={shlex.quote(str(kubeconfig))}",
            "",
            *(f"  {line}" for line in tried),
            "",
            "Ctrl-C stops it.",
        ]
    )


def farewell(plan: Plan) -> str:
    """Say what becomes of it."""
    return f"stopped; `{plan.again}` goes on where it was" if plan.again else "stopped"


def _shown(program: str) -> list[str]:
    """Give three things to try with the example."""
    return [
        f"{program} status",
        f"{program} restore create --from-backup {FIRST} --preview",
        f"{program} nab describe our-own -n {FERRY}",
    ]


def _begun(program: str, namespace: str) -> list[str]:
    """Give three things to begin with."""
    return [
        f"{program} schedule create nightly --schedule '0 1 * * *'",
        f"{program} backup create first --wait",
        f"kubectl get schedules,backups -n {namespace}",
    ]


def _program() -> str:
    """Give what a person must type for `kedge`: it may be in no folder of the PATH."""
    if program() == PLUGIN:
        return PLUGIN
    if shutil.which(NAME):
        return NAME
    called = Path(sys.argv[0]).resolve()
    if called.name == "__main__.py":
        return f"{shlex.quote(sys.executable)} -m kedge"
    return shlex.quote(str(called))
