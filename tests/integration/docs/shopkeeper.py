"""A reader of the page on self-service: somebody with a namespace, at a time that stands still."""

import shlex
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import yaml

from tests.integration.cli.documented import BACKED_UP, RESTORED
from tests.integration.cli.hand import Hand
from tests.integration.cli.session import Session, session

PLACE = "shop"


@dataclass
class Shopkeeper:
    """Runs the commands of the page, which are all ours."""

    kubeconfig: Path
    running: Session

    def write(self, name: str, text: str) -> None:
        """Apply a file of the page, as the administrator does."""
        found = yaml.safe_load(text)
        place = f"/api/v1/namespaces/{found['metadata']['namespace']}/configmaps"
        self.running.call(self.running.kube.client.create(place, found))

    def output_of(self, command: str) -> str:
        """Run a line as a shell would; give all that it prints."""
        name, *args = shlex.split(command)
        assert name == "kedge", command
        result = self.running.kedge(*args, KUBECONFIG=str(self.kubeconfig))
        return "".join(f"{line.rstrip()}\n" for line in result.output.splitlines())


@contextmanager
def shopkeeper() -> Iterator[Shopkeeper]:
    """Give a cluster where all that is asked for ends well."""
    hand = Hand(usual={"Backup": [BACKED_UP], "Restore": [RESTORED]})
    with (
        tempfile.TemporaryDirectory() as folder,
        session(controlled=True, hand=hand, served=True) as running,
    ):
        running.namespace(PLACE)
        config = yaml.safe_load(running.kube.kubeconfig.read_text())
        for context in config["contexts"]:
            context["context"]["namespace"] = PLACE
        kubeconfig = Path(folder) / "config"
        kubeconfig.write_text(yaml.safe_dump(config))
        yield Shopkeeper(kubeconfig, running)
