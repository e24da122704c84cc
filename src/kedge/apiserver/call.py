"""One request to a resource, as the verbs see it."""

from dataclasses import dataclass, field

from kedge.apiserver.auth.users import User
from kedge.apiserver.http.accept import Accept
from kedge.apiserver.http.query import Query
from kedge.apiserver.resource import Context, Resource
from kedge.apiserver.typed.decode import Empty


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
        """Add a Warning header, once."""
        if text not in self.warnings:
            self.warnings.append(text)
