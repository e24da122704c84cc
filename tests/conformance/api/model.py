"""The conversations: read from YAML, with a namespace of their own each.

A file is a list of conversations:

    - name: a label can be removed by a merge patch
      steps:
        - POST /api/v1/namespaces/$ns/configmaps:
            body: {metadata: {name: a, labels: {x: y}}}
        - PATCH /api/v1/namespaces/$ns/configmaps/a:
            media: application/merge-patch+json
            body: {metadata: {labels: {x: null}}}

`$ns` is a namespace that is made before; `$id` is a word that is the same in no
other conversation, for names without a namespace. Fields of a step:

body     JSON (an object or a list), or text that is sent as it is
media    Content-Type; application/json if there is a body and nothing is said
accept   Accept
headers  more headers
user     admin (if nothing is said), alice, bob, anonymous, or wrong
save     variables from the answer: {version: metadata.resourceVersion}; later `$version`
until    ask again until these hold: {status.phase: Active}, or {code: 404}
watch    a GET that is followed: the steps in it are done while it is open, then `events` are taken
skip     the answer is not compared: the step only prepares something
"""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

CASES = Path(__file__).with_name("cases")
_TITLE = re.compile(r"(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|TRACE|WATCH) (\S+)")


@dataclass(frozen=True, slots=True)
class Step:
    """One request, or one watch with the requests made while it is open."""

    method: str
    path: str
    body: Any = None
    media: str = ""
    accept: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    user: str = "admin"
    save: dict[str, str] = field(default_factory=dict)
    until: dict[str, Any] = field(default_factory=dict)
    skip: bool = False
    steps: tuple["Step", ...] = ()
    events: int = 0

    @property
    def title(self) -> str:
        """How the step is named in reports."""
        return f"{self.method} {self.path}"


@dataclass(frozen=True, slots=True)
class Conversation:
    """Steps that belong together."""

    file: str
    name: str
    steps: tuple[Step, ...]

    @property
    def id(self) -> str:
        """A name for reports and recordings."""
        return f"{self.file}: {self.name}"

    @property
    def word(self) -> str:
        """A word of its own, for names in the cluster."""
        words = re.findall(r"[a-z0-9]+", f"{self.file} {self.name}".lower())
        return "-".join(words)[:40].strip("-") + f"-{_checksum(self.id)}"


LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""Every process that runs tests reads all conversations: the quick one saves seconds."""


def load(folder: Path = CASES) -> list[Conversation]:
    """Read all conversations; two with one name are an error."""
    found = [one for path in sorted(folder.glob("*.yaml")) for one in _read(path)]
    ids = [one.id for one in found]
    doubled = {one for one in ids if ids.count(one) > 1}
    if doubled:
        raise ValueError(f"two conversations with the same name: {sorted(doubled)}")
    return found


def _read(path: Path) -> list[Conversation]:
    return [
        Conversation(path.stem, entry["name"], tuple(map(_step, entry["steps"])))
        for entry in yaml.load(path.read_text(), LOADER)
    ]


def _step(entry: dict[str, Any] | str) -> Step:
    if isinstance(entry, str):
        entry = {entry: {}}
    ((title, fields),) = entry.items()
    found = _TITLE.fullmatch(title)
    if found is None:
        raise ValueError(f"not a step: {title!r}")
    fields = dict(fields or {})
    fields["steps"] = tuple(map(_step, fields.get("steps", ())))
    return Step(found[1], found[2], **fields)


def _checksum(text: str) -> str:
    total = 0
    for char in text:
        total = (total * 31 + ord(char)) % 46656
    return f"{total:04x}"
