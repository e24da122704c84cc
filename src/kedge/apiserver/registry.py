"""Which resources the server serves, by group, version and plural; CRDs come and go."""

from collections.abc import Iterable, Iterator

from kedge.apiserver.resource import Resource

Key = tuple[str, str, str]


class Registry:
    """The served resources. `revision` moves with every change: documents depend on it."""

    def __init__(self, builtin: Iterable[Resource]) -> None:
        """Begin with the built-in kinds."""
        self._resources: dict[Key, Resource] = {_key(one): one for one in builtin}
        self._kinds = {(one.api_version, one.kind): one for one in self._resources.values()}
        self._of_crd: dict[str, list[Resource]] = {}
        self._prefixes: dict[str, Resource] = {}
        self._indexed = -1
        self.revision = 0

    def __iter__(self) -> Iterator[Resource]:
        """All resources, built-in ones first."""
        return iter(list(self._resources.values()))

    def find(self, group: str, version: str, plural: str) -> Resource | None:
        """One resource by its path."""
        return self._resources.get((group, version, plural))

    def of_kind(self, api_version: str, kind: str) -> Resource | None:
        """One resource by apiVersion and kind, as owner references name it."""
        return self._kinds.get((api_version, kind))

    def of_group(self, group: str) -> list[Resource]:
        """All resources of a group, in all versions."""
        return [one for key, one in self._resources.items() if key[0] == group]

    def stored(self) -> list[Resource]:
        """One resource for each prefix of the store: what a sweep over all objects walks."""
        found: dict[str, Resource] = {}
        for resource in self._resources.values():
            if "list" in resource.verbs and (resource.prefix not in found or resource.stored):
                found[resource.prefix] = resource
        return list(found.values())

    def of_key(self, key: str) -> Resource | None:
        """Give the stored resource that a key of the store belongs to."""
        if self._indexed != self.revision:
            self._prefixes = {one.prefix: one for one in self.stored()}
            self._indexed = self.revision
        end = key.find("/", key.find("/", 1) + 1) + 1
        return self._prefixes.get(key[:end])

    def put_crd(self, name: str, resources: list[Resource]) -> None:
        """Serve the versions of one CRD in place of those it had."""
        for old in self._of_crd.pop(name, []):
            del self._resources[_key(old)]
            self._kinds.pop((old.api_version, old.kind), None)
        for new in resources:
            self._resources[_key(new)] = new
            self._kinds[new.api_version, new.kind] = new
        if resources:
            self._of_crd[name] = resources
        self.revision += 1


def _key(resource: Resource) -> Key:
    return resource.group, resource.version, resource.plural
