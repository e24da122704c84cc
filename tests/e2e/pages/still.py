"""Readers at a time that stands still: of pages whose examples are of one moment."""

import shlex
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from pathlib import Path

import yaml

from kedge.api.crd import crd_of
from kedge.api.prescaled import kind as prescaled
from kedge.api.velero import backup, schedule
from tests.e2e.pages.reading import Seen
from tests.integration.cli.documented import BACKED_UP, RESTORED, documented
from tests.integration.cli.hand import Hand
from tests.integration.cli.session import Session, session

PLACE = "shop"


@dataclass
class Still:
    """Runs the commands of a page, which are all ours."""

    folder: Path
    running: Session
    kubeconfig: Path

    def write(self, name: str, text: str) -> None:
        """Write a file of a page."""
        (self.folder / name).write_text(text)

    def run(self, command: str, keys: str | None = None) -> Seen:
        """Run a line as a shell would; give all that it prints."""
        name, *args = shlex.split(command)
        assert name == "kedge", f"{command}: there is nothing but kedge in this session"
        with chdir(self.folder):
            result = self.running.kedge(*args, KUBECONFIG=str(self.kubeconfig))
        lines = result.output.splitlines()
        text = "".join(f"{line.rstrip()}\n" for line in lines)
        return Seen(result.exit_code, text, is_exact=True)

    def script(self, text: str) -> Seen:
        """Refuse: there is no shell."""
        raise AssertionError(f"{text}: there is no shell in this session")

    def stop(self) -> None:
        """Go on: nothing else runs."""


class Shopkeeper(Still):
    """Has a namespace; its administrator applies the files of the page."""

    def write(self, name: str, text: str) -> None:
        """Apply a file of the page."""
        found = yaml.safe_load(text)
        place = f"/api/v1/namespaces/{found['metadata']['namespace']}/configmaps"
        self.running.call(self.running.kube.client.create(place, found))


@contextmanager
def friday(folder: Path) -> Iterator[Still]:
    """Give an empty cluster with the controllers of schedules and PreScaledCronJobs."""
    kinds = [crd_of(each.DEFINITION) for each in (prescaled, schedule, backup)]
    with session(controlled=True, kinds=kinds) as running:
        yield Still(folder, running, running.kube.kubeconfig)


@contextmanager
def shopkeeper(folder: Path) -> Iterator[Still]:
    """Give a cluster where all that somebody asks for who has a namespace ends well."""
    hand = Hand(usual={"Backup": [BACKED_UP], "Restore": [RESTORED]})
    with session(controlled=True, hand=hand, served=True) as running:
        running.namespace(PLACE)
        config = yaml.safe_load(running.kube.kubeconfig.read_text())
        for context in config["contexts"]:
            context["context"]["namespace"] = PLACE
        kubeconfig = folder / "config"
        kubeconfig.write_text(yaml.safe_dump(config))
        yield Shopkeeper(folder, running, kubeconfig)


@contextmanager
def reference(folder: Path) -> Iterator[Still]:
    """Give the cluster of the examples in the reference of the command line."""
    with documented() as running:
        yield Still(folder, running, running.kube.kubeconfig)
