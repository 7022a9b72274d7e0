"""Settings that hold for every test."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# Deadlines would be timed assertions; the machine may be busy.
settings.register_profile(
    "laws",
    deadline=None,
    max_examples=200,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("laws")
