"""Reads a Containerfile as far as ours goes."""

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

VARIABLE = re.compile(r"\$\{(\w+)\}|\$(\w+)")


@dataclass(frozen=True)
class Step:
    """One instruction, such as RUN, and what is said behind it."""

    name: str
    text: str

    @property
    def words(self) -> list[str]:
        """Give its words: those of the JSON, or of the line as a shell splits it."""
        if self.text.startswith("["):
            return [str(word) for word in json.loads(self.text)]
        return shlex.split(self.text)

    @property
    def is_exec(self) -> bool:
        """Tell whether it is done without a shell."""
        return self.text.startswith("[")


@dataclass(frozen=True)
class Stage:
    """The steps of one stage, and the image that it starts from."""

    base: str
    name: str
    steps: list[Step] = field(default_factory=list)

    def all(self, name: str) -> list[Step]:
        """Give the steps of one kind."""
        return [step for step in self.steps if step.name == name]

    def last(self, name: str) -> Step:
        """Give the step of a kind that counts."""
        return self.all(name)[-1]

    def pairs(self, name: str) -> dict[str, str]:
        """Give what all ENV, LABEL or ARG of a stage say."""
        words = [word for step in self.all(name) for word in step.words]
        return dict(word.partition("=")[::2] for word in words)


def stages(path: Path) -> list[Stage]:
    """Read a file; what ARG says before the first stage is put into FROM."""
    given: dict[str, str] = {}
    found: list[Stage] = []
    for step in _steps(path.read_text("utf-8")):
        if step.name == "FROM":
            words = [filled(word, given) for word in step.words]
            found.append(Stage(words[0], words[2] if len(words) > 1 else ""))
        elif found:
            found[-1].steps.append(step)
        else:
            given |= dict([step.text.partition("=")[::2]])
    return found


def filled(text: str, given: dict[str, str]) -> str:
    """Put values in the place of variables."""
    return VARIABLE.sub(lambda match: given[match[1] or match[2]], text)


def _steps(text: str) -> Iterator[Step]:
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    for line in "\n".join(lines).replace("\\\n", " ").splitlines():
        if line.strip():
            name, _, rest = line.strip().partition(" ")
            yield Step(name, rest.strip())
