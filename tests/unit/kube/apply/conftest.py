"""Hypothesis as in the other folders: the same examples each time, no deadline."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "apply",
    derandomize=True,
    deadline=None,
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("apply")
