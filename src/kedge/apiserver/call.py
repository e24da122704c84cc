"""One request to a resource, as the verbs see it."""

from dataclasses import dataclass, field

from kedge.apiserver.auth.users import User
from kedge.apiserver.http.accept import Accept
from kedge.apiserver.http.query import Query
from kedge.apiserver.http.warning import MOST_RUNES
from kedge.apiserver.resource import Context, Resource
from kedge.apiserver.typed.decode import Empty

YAML_WEIGHT = 8


@dataclass(slots=True)
class Call:
    """Who wants what of which object."""

    verb: str
    resource: Resource
    namespace: str
    name: str
    subresource: str
    query: Query
    accept: Accept
    user: User
    media: str = ""
    """Content-Type of the body, as it was sent."""
    body: bytes = b""
    agent: str = ""
    warnings: list[str] = field(default_factory=list)
    empties: list[Empty] | None = None
    """Empty lists and maps that were left out of the object; None: it has no empty ones at all."""

    @property
    def weight(self) -> int:
        """How long the body may take to read, in bytes of JSON."""
        return len(self.body) * (YAML_WEIGHT if "yaml" in self.media else 1)

    def context(self, now: str, dry_run: bool, generated: bool = False) -> Context:
        """Tell what the hooks of a kind may know."""
        user = self.user
        return Context(
            self.namespace,
            self.subresource,
            user.name,
            user.groups,
            user.uid,
            user.extra,
            now,
            dry_run,
            generated,
        )

    def warn(self, text: str) -> None:
        """Add a Warning header, once; more than a header takes are not kept."""
        if len(self.warnings) <= MOST_RUNES and text not in self.warnings:
            self.warnings.append(text)
