"""Where objects go: the kinds that the cluster serves, for those that an archive has."""

from typing import Final

from kedge.engine.discovery import Resource, Served
from kedge.engine.restore.identity import ItemError
from kedge.kube.kind import Kind, Object

READ: Final = "get"


class Targets:
    """Finds the kind to write an object to; what was found once is known."""

    def __init__(self, served: Served) -> None:
        """Go by what a cluster serves."""
        self.served = served
        self._known: dict[tuple[str, str], Resource | None] = {}

    def resolve(self, name: str) -> str:
        """Write the name of a resource in full; one that the cluster does not know stays."""
        found = self.served.resolve(name)
        return name if found is None else str(found)

    def check_kind(self, resource: str, obj: Object) -> None:
        """Insist that an object of an archive is of the kind of its place; raises ItemError.

        Filters go by the resource: under a made-up one, objects of any kind would pass them.
        """
        found = self.served.get(resource)
        if found is not None and found.kind.name != obj["kind"]:
            raise ItemError(f"its kind is {obj['kind']!r}, but {resource} are {found.kind.name!r}")
        # What a definition of the archive is going to define has no verbs yet.
        if found is not None and found.verbs and READ not in found.verbs:
            raise ItemError(f"{resource} can not be read, so that no backup has any")
        group, _, version = obj["apiVersion"].rpartition("/")
        other = self._by_kind(group, version, obj["kind"]) if found is None else None
        if other is not None:
            raise ItemError(f"its kind is {obj['kind']!r}, but those are {other}, not {resource}")

    def kind_of(self, resource: str, obj: Object, *, namespaced: bool) -> Kind[Object]:
        """Give the kind to write an object to, in its version or another one; raises ItemError.

        Where the object was changed to one of another kind, that kind is looked for.
        """
        group, _, version = obj["apiVersion"].rpartition("/")
        plural = resource.partition(".")[0]
        name = f"{plural}.{group}" if group else plural
        found = self._find(name, version)
        if found is None or found.kind.name != obj["kind"]:
            found = self._by_kind(group, version, obj["kind"])
        if found is None:
            raise ItemError(
                f"the cluster serves no {name} in any version ({obj['apiVersion']} is wanted): "
                "install what defines it, or exclude it"
            )
        if found.kind.namespaced != namespaced:
            scope = "in namespaces" if found.kind.namespaced else "in no namespace"
            raise ItemError(f"{found} are {scope} on this cluster, which the object is not")
        return found.kind

    def _find(self, name: str, version: str) -> Resource | None:
        key = (name, version)
        if key not in self._known:
            self._known[key] = self.served.get(name, version) or self.served.get(name)
        return self._known[key]

    def _by_kind(self, group: str, version: str, kind: str) -> Resource | None:
        fitting = [
            each
            for each in self.served.resources
            if each.kind.group == group and each.kind.name == kind
        ]
        fitting.sort(key=lambda each: (each.kind.version != version, not each.preferred))
        return fitting[0] if fitting else None
