"""Which version of an API comes first: v2, v1, v1beta1, v1alpha1, others."""

import re
from collections.abc import Iterable
from typing import Final

_VERSION: Final = re.compile(r"v([1-9][0-9]{0,8})(?:(alpha|beta)([1-9][0-9]{0,8}))?")
_STAGES: Final = {None: 0, "beta": 1, "alpha": 2}


def first_version(versions: Iterable[str]) -> str:
    """Give the version that Kubernetes would prefer."""
    return min(versions, key=_rank)


def _rank(version: str) -> tuple[int, int, int, int, str]:
    found = _VERSION.fullmatch(version)
    if found is None:
        return 1, 0, 0, 0, version
    return 0, _STAGES[found[2]], -int(found[1]), -int(found[3] or 0), ""
