"""Which standards hold in a namespace, by its labels."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from kedge.apiserver.builtin.fields import Errors

PREFIX = "pod-security.kubernetes.io/"
LEVELS = ("privileged", "baseline", "restricted")
"""From the loosest to the strictest."""
VERSION = re.compile(r"v1\.(0|[1-9][0-9]*)")
LATEST = 1 << 30
"""Newer than every version there is."""
BAD_LEVEL = f"must be one of {', '.join(LEVELS)}"
BAD_VERSION = 'must be "latest" or "v1.x"'


@dataclass(frozen=True, slots=True)
class Standard:
    """A level as of a minor version of Kubernetes."""

    level: str = "privileged"
    minor: int = LATEST

    def __str__(self) -> str:
        """Write it as messages do."""
        return f"{self.level}:{'latest' if self.minor == LATEST else f'v1.{self.minor}'}"


@dataclass(frozen=True, slots=True)
class Policy:
    """What is forbidden, and what is warned of. There is no audit log."""

    enforce: Standard = Standard()
    warn: Standard = Standard()


PRIVILEGED = Policy()


def policy_of(labels: Mapping[str, str] | None) -> Policy:
    """Give the policy of a namespace; what cannot be read is enforced at its strictest."""
    if not labels or not any(key.startswith(PREFIX) for key in labels):
        return PRIVILEGED
    level = labels.get(f"{PREFIX}enforce", "privileged")
    enforce = Standard(
        level if level in LEVELS else "restricted", _minor(labels.get(f"{PREFIX}enforce-version"))
    )
    warned = labels.get(f"{PREFIX}warn")
    version = labels.get(f"{PREFIX}warn-version")
    if warned is not None:
        found = warned if warned in LEVELS else "privileged"
        return Policy(enforce, Standard(found, _minor(version)))
    if level not in LEVELS:
        return Policy(enforce, Standard("privileged", _minor(version)))
    # What is forbidden for pods is warned of for those who make pods.
    return Policy(enforce, Standard(level, enforce.minor if version is None else _minor(version)))


def _minor(version: str | None) -> int:
    match = VERSION.fullmatch(version or "latest")
    return int(match[1]) if match and len(match[1]) < 10 else LATEST


def is_tighter(new: Standard, old: Standard) -> bool:
    """Tell whether pods that were well under a standard may not be so under another."""
    if new == old or new.level == "privileged":
        return False
    return new.minor != old.minor or LEVELS.index(new.level) > LEVELS.index(old.level)


def check_labels(labels: Mapping[str, str]) -> Errors:
    """Say what is wrong with the labels of a namespace that set its policy."""
    errors = Errors()
    for mode in ("enforce", "audit", "warn"):
        key = f"{PREFIX}{mode}"
        if key in labels and labels[key] not in LEVELS:
            errors.invalid(f"metadata.labels[{key}]", labels[key], BAD_LEVEL)
        key = f"{key}-version"
        if key in labels and labels[key] != "latest" and not VERSION.fullmatch(labels[key]):
            errors.invalid(f"metadata.labels[{key}]", labels[key], BAD_VERSION)
    return errors
