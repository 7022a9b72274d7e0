"""Connections: patience with those that say nothing ends, and sooner when others need the room."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from equivec.serve.fairness import client_at

if TYPE_CHECKING:
    import asyncio


class Connections:
    """Those that are open: so many in all, so many of a client; the silent make room for others.

    A proxy speaks for many clients, so that only the number in all bounds it.
    """

    def __init__(self, most: int, most_of_client: int, proxies: frozenset[str]) -> None:
        self._most = most
        self._most_of_client = most_of_client
        self._proxies = proxies
        self._of: dict[str, dict[PatientProtocol, None]] = {}

    def enter(self, address: str, connection: PatientProtocol) -> None:
        """Take a connection in, and close a silent one if there are too many."""
        own = self._of.setdefault(client_at(address), {})
        own[connection] = None
        if len(own) > self._most_of_client and address not in self._proxies:
            self._close_silent(own, but=connection)
        elif sum(map(len, self._of.values())) > self._most:
            for some in sorted(self._of.values(), key=len, reverse=True):
                if self._close_silent(some, but=connection):
                    break

    def rest(self, address: str, connection: PatientProtocol) -> None:
        """A connection is silent again, for a shorter time than all others of its client."""
        own = self._of.get(client_at(address), {})
        if connection in own:
            own[connection] = own.pop(connection)

    def leave(self, address: str, connection: PatientProtocol) -> None:
        """A connection is closed."""
        client = client_at(address)
        own = self._of.get(client, {})
        own.pop(connection, None)
        if not own:
            self._of.pop(client, None)

    def _close_silent(self, some: dict[PatientProtocol, None], but: PatientProtocol) -> bool:
        """Close the connection that is silent longest; whether there is one."""
        silent = (each for each in some if each is not but and not each.is_in_use)
        found = next(silent, None)
        if found is None:
            return False
        del some[found]
        found.transport.close()
        return True


class PatientProtocol(H11Protocol):
    """HTTP whose patience ends: whoever connects must send the head of a request in time."""

    _timer: asyncio.TimerHandle | None = None

    def __init__(self, connections: Connections, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._others = connections

    @property
    def is_in_use(self) -> bool:
        """Whether a request is being answered."""
        return self.cycle is not None and not self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the clock."""
        super().connection_made(transport)
        self._address = self.client[0] if self.client else ""
        self._others.enter(self._address, self)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Stop the clock when a request has begun; start it when a part of one has come."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Count the connection as silent from now on."""
        self._others.rest(self._address, self)
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clock."""
        super().connection_lost(exc)
        self._others.leave(self._address, self)
        self._stop()

    def _watch(self) -> None:
        if self.is_in_use:
            self._stop()
        elif self._timer is None:
            self._timer = self.loop.call_later(self.timeout_keep_alive, self.transport.close)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
