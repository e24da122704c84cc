"""How many examples a property tries; the rest of the profile is in tests/unit/conftest.py."""

import os

from hypothesis import settings

DEEP = os.environ.get("KEDGE_HYPOTHESIS") == "deep"


def examples(number: int) -> settings:
    """Try `number` examples, or 20 times as many in a deep hunt."""
    return settings(max_examples=number * 20 if DEEP else number)
