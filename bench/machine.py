"""Facts about where a run took place. No names of hosts or people, no paths."""

import os
import platform
from importlib import metadata
from pathlib import Path


def facts() -> dict[str, str | int]:
    """Name the processor, the system and the releases that were measured."""
    return {
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "cpu": cpu_model(),
        "cores": os.cpu_count() or 0,
        "platform": f"{platform.system()} {platform.machine()}",
        **{name: metadata.version(name) for name in ("kedge", "cronsim", "croniter", "tzdata")},
    }


def cpu_model() -> str:
    """Read the processor's name where Linux tells it."""
    listing = Path("/proc/cpuinfo")
    lines = listing.read_text().splitlines() if listing.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown"
