"""VolumeSnapshotLocations of a Backup: one for each provider. Pure.

No snapshot is made there yet. They are checked so that a Backup that Velero would refuse is refused
here as well, and one that it would take is described alike.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kedge.api.velero.snapshot_location import VOLUME_SNAPSHOT_LOCATION, VolumeSnapshotLocation
from kedge.kube.errors import not_found


@dataclass(frozen=True, slots=True)
class SnapshotLocations:
    """All that there are in the namespace of a Backup."""

    found: Sequence[VolumeSnapshotLocation] = ()
    error: str = ""
    """Why they could not be read."""

    def resolve(self, names: Iterable[str], *, is_wanted: bool) -> tuple[list[str], list[str]]:
        """Give the locations to use, by name, and what is wrong with those that are asked for."""
        if not is_wanted:
            return list(names), []
        if self.error:
            return [], [f"error listing volume snapshot locations: {self.error}"]
        providers, problems = self._named(names)
        if problems:
            return [], problems
        for provider, location in sorted(self._by_provider().items()):
            if provider in providers:
                continue
            if len(location) > 1:
                problems.append(
                    f"provider {provider} has more than one possible volume snapshot location, and "
                    "none were specified explicitly or as a default"
                )
                continue
            providers[provider] = location[0]
        return sorted(providers.values()), problems

    def _named(self, names: Iterable[str]) -> tuple[dict[str, str], list[str]]:
        """Give the location of each provider that is named."""
        known = {one.metadata.name: one.spec.provider for one in self.found}
        providers: dict[str, str] = {}
        problems = []
        for name in names:
            if name not in known:
                problems.append(_missing(name))
                continue
            first = providers.setdefault(known[name], name)
            if first != name:
                problems.append(
                    f"more than one VolumeSnapshotLocation name specified for provider "
                    f"{known[name]}: {name}; unexpected name was {first}"
                )
        return providers, problems

    def _by_provider(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for one in self.found:
            found.setdefault(one.spec.provider, []).append(one.metadata.name)
        return found


def _missing(name: str) -> str:
    kind = VOLUME_SNAPSHOT_LOCATION
    error = not_found(kind.group, kind.plural, name).message
    return (
        f"a VolumeSnapshotLocation CRD for the location {name} with the name specified in the "
        f"backup spec needs to be created before this snapshot can be executed. Error: {error}"
    )
