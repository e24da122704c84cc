"""Which version of a group is preferred: v2, v1, v1beta1, v1alpha1, others."""

import base64
import hashlib
import re
from collections.abc import Iterable
from typing import Final

_VERSION: Final = re.compile(r"v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?")
_STAGES: Final = {None: 0, "beta": 1, "alpha": 2}


def by_preference(versions: Iterable[str]) -> list[str]:
    """Order versions, the preferred one first."""
    return sorted(versions, key=_rank)


def _rank(version: str) -> tuple[int, int, int, int, str]:
    found = _VERSION.fullmatch(version)
    if found is None:
        return 1, 0, 0, 0, version
    return 0, _STAGES[found[2]], -int(found[1]), -int(found[3] or 0), ""


def storage_hash(group: str, version: str, kind: str) -> str:
    """Give the hash by which discovery tells in which version a kind is stored."""
    digest = hashlib.sha256(f"{group}/{version}/{kind}".encode()).digest()
    return base64.b64encode(digest[:8]).decode()
