"""Facts about where a run took place. No names of hosts or people, no paths."""

import os
import platform
from importlib import metadata
from pathlib import Path
from typing import Protocol


def facts() -> dict[str, str | int]:
    """Name the processor, the system and the releases that were measured."""
    return {
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "cpu": cpu_model(),
        "cores": os.cpu_count() or 0,
        "platform": f"{platform.system()} {platform.machine()}",
        **{name: metadata.version(name) for name in ("kedge", "cronsim", "croniter", "tzdata")},
    }


def brief() -> dict[str, str | int]:
    """Name the machine alone, and how busy it is."""
    known = facts()
    load = {"load": f"{os.getloadavg()[0]:.1f}"}
    return {name: known[name] for name in ("python", "cpu", "cores", "platform")} | load


class Stolen:
    """How much of the time of its cores a virtual machine did not get, as others had them."""

    def __init__(self) -> None:
        self._before = _ticks()

    def share(self) -> float:
        """Give the share since this was made."""
        stolen, all_ = (now - was for now, was in zip(_ticks(), self._before, strict=True))
        return stolen / all_ if all_ else 0.0


def _ticks() -> tuple[int, int]:
    """Read how many ticks were stolen, and how many there were, where Linux tells it."""
    listing = Path("/proc/stat")
    first = listing.read_text().partition("\n")[0] if listing.exists() else ""
    # What guests had is counted a second time behind the eighth.
    ticks = [int(one) for one in first.split()[1:9]]
    return ticks[-1] if ticks else 0, sum(ticks)


class Run(Protocol):
    """What was found, and where."""

    machine: dict[str, str | int]
    releases: dict[str, str]


def scene(run: Run) -> str:
    """Write where a run took place, and on which releases of which servers."""
    told = ", ".join(f"{name} {value}" for name, value in run.machine.items())
    servers = "; ".join(f"{name}: {release}" for name, release in run.releases.items())
    return f"{told}.\n{servers}."


def cpu_model() -> str:
    """Read the processor's name where Linux tells it."""
    listing = Path("/proc/cpuinfo")
    lines = listing.read_text().splitlines() if listing.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown"
