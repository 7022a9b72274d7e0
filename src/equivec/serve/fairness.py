"""Whose turn it is: work of many clients, in an order in which none waits for all of another's."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address
from typing import Generic, TypeVar

T = TypeVar("T")

# Whose request is being answered; it is handed on to the threads that work for it.
CLIENT: ContextVar[str] = ContextVar("client", default="")
_NETWORK_BITS = 64


def client_at(address: str) -> str:
    """Who counts as one client: an address, or a network of the size that one household gets.

    >>> client_at("192.0.2.7"), client_at("2001:db8::1") == client_at("2001:db8::2")
    ('192.0.2.7', True)
    """
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address):
        return f"{int(parsed) >> _NETWORK_BITS:x}"
    return address


@dataclass(slots=True)
class _Share(Generic[T]):
    """What a client waits for, how much of it is under way, and what it has used."""

    waiting: dict[T, None] = field(default_factory=dict)
    under_way: int = 0
    used: float = 0.0


class FairQueue(Generic[T]):
    """Work that waits; the turn is with the client that has least under way, then used least.

    Whoever comes anew begins where the others are, so that nobody saves up turns (start-time fair
    queueing: Goyal, Vin & Cheng, SIGCOMM 1996). Not safe for threads.

    >>> queue = FairQueue[str]()
    >>> for client, work in [("a", "first"), ("a", "second"), ("a", "third"), ("b", "other")]:
    ...     queue.put(client, work)
    >>> [queue.take() for _ in range(3)]
    [('a', 'first'), ('b', 'other'), ('a', 'second')]
    """

    def __init__(self, at_once: int | None = None) -> None:
        """`at_once` is how much of one client's work may be under way."""
        self._at_once = at_once
        self._shares: dict[str, _Share[T]] = {}
        self._reached = 0.0  # what the client had used whose turn came last

    def __len__(self) -> int:
        return sum(len(share.waiting) for share in self._shares.values())

    def put(self, client: str, work: T) -> None:
        """Let work wait for its turn."""
        share = self._shares.setdefault(client, _Share(used=self._reached))
        share.waiting[work] = None

    def turn(self) -> tuple[str, T] | None:
        """The client whose turn it is, and its work."""
        ready = [client for client, share in self._shares.items() if self._may_begin(share)]
        if not ready:
            return None
        client = min(ready, key=self._claim)
        return client, next(iter(self._shares[client].waiting))

    def take(self) -> tuple[str, T] | None:
        """The same; from now on the work is under way."""
        turn = self.turn()
        if turn is None:
            return None
        client, work = turn
        # Of those that are alike the one whose turn is longest ago comes first.
        share = self._shares[client] = self._shares.pop(client)
        del share.waiting[work]
        share.under_way += 1
        self._reached = max(self._reached, share.used)
        return client, work

    def done(self, client: str, cost: float) -> None:
        """Work of a client has ended, and cost so much."""
        share = self._shares[client]
        share.under_way -= 1
        share.used += cost
        self._forget(client)

    def drop(self, client: str, work: T) -> None:
        """Work is wanted no more, if it still waits."""
        if client in self._shares:
            self._shares[client].waiting.pop(work, None)
            self._forget(client)

    def drop_newest_of_most(self, client: str) -> T | None:
        """Make room for a client: take away the newest work of whoever lets most wait.

        Nothing if nobody lets more wait than this client would.
        """
        most = max(self._shares.values(), key=lambda share: len(share.waiting), default=None)
        own = self._shares.get(client)
        if most is None or len(most.waiting) <= (len(own.waiting) if own else 0) + 1:
            return None
        return most.waiting.popitem()[0]

    def _may_begin(self, share: _Share[T]) -> bool:
        return bool(share.waiting) and share.under_way != self._at_once

    def _claim(self, client: str) -> tuple[int, float]:
        share = self._shares[client]
        return share.under_way, share.used

    def _forget(self, client: str) -> None:
        """Forget a client that has nothing here: one slow request is not held against the next."""
        share = self._shares[client]
        if not share.waiting and not share.under_way:
            del self._shares[client]
