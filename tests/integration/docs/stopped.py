"""A reader of a page whose examples are of one moment: at a time that stands still."""

import shlex
import tempfile
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from pathlib import Path

from kedge.api.crd import crd_of
from kedge.api.prescaled import kind as prescaled
from kedge.api.velero import backup, schedule
from tests.integration.cli.session import Session, session


@dataclass
class Stopped:
    """Runs the commands of a page, which are all ours."""

    folder: Path
    running: Session

    def write(self, name: str, text: str) -> None:
        """Write a file of a page."""
        (self.folder / name).write_text(text)

    def output_of(self, command: str) -> str:
        """Run a line as a shell would; give all that it prints."""
        assert shlex.split(command)[0] == "kedge", command
        with chdir(self.folder):
            return self.running.output_of(command)


@contextmanager
def stopped() -> Iterator[Stopped]:
    """Give an empty cluster with the controllers of schedules and PreScaledCronJobs."""
    kinds = [crd_of(each.DEFINITION) for each in (prescaled, schedule, backup)]
    with tempfile.TemporaryDirectory() as folder, session(controlled=True, kinds=kinds) as running:
        yield Stopped(Path(folder), running)
