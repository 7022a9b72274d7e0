"""The gate every request passes: the key, the client's share, a whole body in time, and the clock.

It stands before the framework, so that nothing of a request that is refused is looked at further.
"""

from __future__ import annotations

import asyncio
import hmac
import time
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING

from starlette.datastructures import Headers, MutableHeaders

from equivec.serve.fairness import CLIENT, client_at
from equivec.serve.problems import ServiceError, response

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from equivec.serve.config import ServiceConfig
    from equivec.serve.metrics import Metrics

_CLIENT_GONE = 499
# What is left of a request that was refused is not read.
_LAST = {"Connection": "close"}
# How to come back with a key.
_CHALLENGE = {"WWW-Authenticate": "Bearer"}
# Paths that need the key where there is one; the page itself and the probes are open.
_GUARDED = ("/v1/", "/metrics")
# Whoever watches the service hears of it however many ask.
_PROBES = ("/healthz", "/readyz")
SECURITY_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


class Guard:
    """An application behind its gate."""

    def __init__(
        self, app: ASGIApp, config: ServiceConfig, metrics: Metrics, paths: frozenset[str]
    ) -> None:
        self._app = app
        self._config = config
        self._metrics = metrics
        self._paths = paths
        self._present: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or say why not; either way it is counted."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        answer = _Answer(send)
        started = time.perf_counter()
        try:
            await self._admit(scope, receive, answer)
        except ServiceError as error:
            headers = _LAST | (_CHALLENGE if error.problem.status == 401 else {})
            refusal = response(error.problem, retry_after=error.retry_after, headers=headers)
            await refusal(scope, receive, answer)
        except Exception:
            answer.status = 500
            raise
        finally:
            path = scope["path"] if scope["path"] in self._paths else "other"
            self._metrics.request(path, answer.status, time.perf_counter() - started)

    async def _admit(self, scope: Scope, receive: Receive, answer: _Answer) -> None:
        headers = Headers(scope=scope)
        self._check_key(scope, headers)
        with self._share(scope):
            body = await self._body(headers, receive)
            await _unless_gone(self._app, scope, body, receive, answer)

    def _check_key(self, scope: Scope, headers: Headers) -> None:
        key = self._config.api_key
        if key is None or scope["method"] == "OPTIONS" or not scope["path"].startswith(_GUARDED):
            return
        scheme, _, token = headers.get("authorization", "").partition(" ")
        given = headers.get("x-api-key") or (token if scheme.lower() == "bearer" else "")
        if not hmac.compare_digest(given.encode(), key.encode()):
            detail = (
                "this service needs an API key, in the header X-API-Key or as "
                "Authorization: Bearer KEY"
            )
            raise ServiceError(401, "No valid key", detail)

    @contextmanager
    def _share(self, scope: Scope) -> Iterator[None]:
        """A place among those that one client may take at a time; probes need none."""
        client = client_at(scope["client"][0] if scope.get("client") else "")
        CLIENT.set(client)
        if scope["path"] in _PROBES:
            yield
            return
        if self._present[client] >= self._config.unanswered_per_client:
            detail = f"{self._present[client]} of your requests are not answered yet; wait for them"
            raise ServiceError(429, "Too many requests", detail, retry_after=1)
        if self._present.total() >= self._config.unanswered:
            detail = f"{self._present.total()} requests are not answered yet; try again in a second"
            raise ServiceError(503, "Too busy", detail, retry_after=1)
        self._present[client] += 1
        try:
            yield
        finally:
            self._present[client] -= 1
            if not self._present[client]:
                del self._present[client]

    async def _body(self, headers: Headers, receive: Receive) -> bytes:
        """The whole body, if it is not too large and comes in time."""
        length = headers.get("content-length", "0")
        if length.isdecimal() and int(length) > self._config.body_bytes:
            raise self._too_large()
        try:
            async with asyncio.timeout(self._config.body_seconds):
                return await self._read(receive)
        except TimeoutError:
            detail = f"the request did not arrive within {self._config.body_seconds:g} seconds"
            raise ServiceError(408, "Request Timeout", detail) from None

    async def _read(self, receive: Receive) -> bytes:
        parts, size = [], 0
        while (message := await receive())["type"] == "http.request":
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > self._config.body_bytes:
                raise self._too_large()
            if not message.get("more_body", False):
                return b"".join(parts)
        raise ServiceError(_CLIENT_GONE, "Client gone", "the client left before its request ended")

    def _too_large(self) -> ServiceError:
        return ServiceError(
            413, "Too large", f"a request may have {self._config.body_bytes:,} bytes at most"
        )


class _Answer:
    """Where an answer is sent; it adds our headers and remembers the status."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.status = _CLIENT_GONE

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            MutableHeaders(scope=message).update(SECURITY_HEADERS)
        await self._send(message)


async def _unless_gone(
    app: ASGIApp, scope: Scope, body: bytes, receive: Receive, send: Send
) -> None:
    """Run the application on a body, and stop it when the client goes away."""
    messages = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def replay() -> Message:
        return next(messages, None) or await receive()

    answering = asyncio.ensure_future(app(scope, replay, send))
    gone = asyncio.ensure_future(receive())
    try:
        await asyncio.wait({answering, gone}, return_when=asyncio.FIRST_COMPLETED)
        if answering.done():
            answering.result()
    finally:
        gone.cancel()
        answering.cancel()
        await asyncio.gather(answering, gone, return_exceptions=True)
