"""An operator for boats, to be run by `kopf run`."""

from typing import Any

import kopf

BOATS = ("kopf.test", "v1", "boats")


@kopf.on.startup()
async def configure(settings: kopf.OperatorSettings, **_: Any) -> None:
    """Hear of the end of a watch soon, so that a test need not wait."""
    settings.watching.server_timeout = 2


@kopf.on.create(*BOATS)
async def built(spec: kopf.Spec, name: str, patch: kopf.Patch, **_: Any) -> dict[str, Any]:
    """Report a new boat."""
    patch.status["length"] = spec["length"]
    return {"name": name}


@kopf.on.field(*BOATS, field="spec.length")
async def lengthened(old: int | None, new: int, patch: kopf.Patch, **_: Any) -> None:
    """Report a changed boat."""
    if old is not None:
        patch.status.update({"length": new, "was": old})


@kopf.on.delete(*BOATS)
async def scrapped(name: str, body: kopf.Body, **_: Any) -> None:
    """Hold the boat by a finalizer until this event is told."""
    kopf.info(body, reason="Scrapped", message=f"{name} is firewood")


@kopf.timer(*BOATS, interval=0.2)
async def rowed(status: kopf.Status, patch: kopf.Patch, **_: Any) -> None:
    """Count to three."""
    if status.get("miles", 0) < 3:
        patch.status["miles"] = status.get("miles", 0) + 1


@kopf.daemon(*BOATS, cancellation_timeout=1.0)
async def watched(name: str, body: kopf.Body, stopped: kopf.DaemonStopped, **_: Any) -> None:
    """Keep watch as long as the boat lives."""
    kopf.info(body, reason="OnBoard", message=f"{name} has a watchman")
    await stopped.wait()
    kopf.info(body, reason="Ashore", message=f"{name} needs no watchman")
