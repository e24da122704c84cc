"""Two hypothesis profiles: the same examples each time, or (KEDGE_HYPOTHESIS=deep) a long hunt."""

from hypothesis import HealthCheck, settings

from tests.cron_oracle.settings import DEEP

SLOW_IS_FINE = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
settings.register_profile(
    "quick", derandomize=True, deadline=None, suppress_health_check=SLOW_IS_FINE
)
settings.register_profile(
    "deep", deadline=None, print_blob=True, suppress_health_check=SLOW_IS_FINE
)
settings.load_profile("deep" if DEEP else "quick")
