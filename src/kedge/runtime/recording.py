"""What a controller asks of the one that writes Events, which is `events.Recorder`."""

from typing import Any, Protocol

from kedge.kube.kind import Kind


class Recording(Protocol):
    """Writes Events."""

    def record(
        self, obj: Any, type_: str, reason: str, message: str, *, kind: Kind[Any] | None = None
    ) -> None:
        """Tell of something that happened to an object."""
