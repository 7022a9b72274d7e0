"""What the service allows strangers to ask for, and how much of it at once."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, fields

from equivec.errors import ConfigError
from equivec.expression.limits import Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceConfig:
    """Every bound of the service; seconds and bytes where nothing else is said.

    >>> ServiceConfig(most_hits=0)
    Traceback (most recent call last):
    equivec.errors.ConfigError: most_hits must be more than 0, not 0
    """

    # What one request may ask for.
    expression: Limits = field(
        default_factory=lambda: Limits(
            characters=2_000, nodes=300, depth=100, digits=60, exponent=1_000
        )
    )
    body_bytes: int = 64 << 10
    most_expressions: int = 256
    most_hits: int = 100
    widest_beam: int = 50
    # Verdicts on ten hits take a sixth of it; with all of it a page still has its answer at once.
    judge_seconds: float = 0.06
    # SymPy's own judge takes seconds where ours takes milliseconds.
    sympy: bool = False

    # How long things may take; a check is killed after its time, other work keeps its thread.
    request_seconds: float = 20.0
    check_seconds: float = 5.0
    body_seconds: float = 10.0
    idle_seconds: float = 15.0
    grace_seconds: float = 30.0
    ready_seconds: float = 2.0

    # How much goes on at once, in threads of each kind of work and in processes of each judge. One
    # client has half of them at most.
    workers: int = field(default_factory=lambda: max(2, os.cpu_count() or 1))
    writers: int = 2
    checks: int = 2
    encoder_tokens: int = 256

    # How much may wait before each kind, and be unanswered in all; whatever is more is refused.
    waiting: int = 128
    unanswered: int = 1_000
    unanswered_per_client: int = 64
    connections_per_client: int = 256

    # How many expressions the map shows.
    map_points: int = 4_000

    # Who may ask: whoever sends this key (anyone, if there is none), from pages of these origins.
    api_key: str | None = field(default=None, repr=False)
    allowed_origins: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(value, int | float) and not isinstance(value, bool) and value <= 0:
                raise ConfigError(f"{each.name} must be more than 0, not {value}")
        if self.api_key is not None and len(self.api_key) < _SHORTEST_KEY:
            raise ConfigError(
                f"an API key must have at least {_SHORTEST_KEY} characters, not {len(self.api_key)}"
            )


_SHORTEST_KEY = 16
DEFAULT_SERVICE = ServiceConfig()
