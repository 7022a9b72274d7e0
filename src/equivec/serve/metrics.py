"""What Prometheus reads: how many requests, how they ended, how long they took."""

from __future__ import annotations

import os

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

# Where worker processes leave their counts for each other; it must be set before they start.
SHARED_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
_SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)


class Metrics:
    """The counts of one process, shown together with those of the others.

    >>> metrics = Metrics()
    >>> metrics.request("/v1/search", 200, 0.004)
    >>> 'equivec_requests_total{path="/v1/search",status="200"} 1.0' in metrics.text()
    True
    """

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "equivec_requests_total",
            "Requests by path and status.",
            ["path", "status"],
            registry=self._registry,
        )
        self._seconds = Histogram(
            "equivec_request_seconds",
            "How long requests took.",
            ["path"],
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._batches = Histogram(
            "equivec_encoder_batch",
            "Expressions in one call of the encoder.",
            buckets=_SIZES,
            registry=self._registry,
        )

    def request(self, path: str, status: int, seconds: float) -> None:
        """Count a request that has ended."""
        self._requests.labels(path, str(status)).inc()
        self._seconds.labels(path).observe(seconds)

    def batch(self, size: int) -> None:
        """Count a call of the encoder."""
        self._batches.observe(size)

    def text(self) -> str:
        """The counts of all processes, in Prometheus' format."""
        registry = self._registry
        if SHARED_FOLDER in os.environ:
            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry).decode()
