"""How many examples a property tries; the rest of the profile is in tests/unit/conftest.py."""

import os

from hypothesis import settings

DEEP = os.environ.get("KEDGE_HYPOTHESIS") == "deep"


def examples(number: int) -> settings:
    """Try half of `number` examples, the same each time, or ten times `number` in a deep hunt."""
    return settings(max_examples=number * 10 if DEEP else number // 2)
