"""What most of some values do not exceed."""

import math
from collections.abc import Sequence


def quantile(values: Sequence[float], share: float) -> float | None:
    """Give the smallest value that this share of all does not exceed; None of none."""
    if not values:
        return None
    return sorted(values)[max(0, math.ceil(len(values) * share) - 1)]
