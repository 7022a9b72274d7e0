"""Settings that hold for every test."""

from __future__ import annotations

import os

# Tests run side by side: threads that wait for each other would only stand in the way.
os.environ["OMP_NUM_THREADS"] = "1"

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
