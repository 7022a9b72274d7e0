"""What goes wrong, as problem JSON (RFC 9457): one table from an error to what a client reads."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict
from starlette.exceptions import HTTPException

from equivec.errors import BusyError, EquivecError, FileFormatError, ParseError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fastapi import FastAPI
    from starlette.requests import Request

MEDIA_TYPE = "application/problem+json"
_UNPROCESSABLE = 422
_LOG = logging.getLogger(__name__)


class Problem(BaseModel):
    """An error that a person can act on."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "type": "urn:equivec:problem:not-an-expression",
                    "title": "Not an expression",
                    "status": 422,
                    "detail": "column 4: '(' is never closed",
                    "field": "expression",
                    "column": 3,
                    "caret": "column 4: '(' is never closed\n  sin(\n     ^",
                }
            ]
        }
    )

    type: str
    title: str
    status: int
    detail: str
    field: str | None = None
    column: int | None = None
    caret: str | None = None


class ServiceError(Exception):
    """A request that is refused: the status, a title, a sentence, and when to come back."""

    def __init__(
        self,
        status: int,
        title: str,
        detail: str,
        *,
        field: str | None = None,
        retry_after: int | None = None,
    ) -> None:
        super().__init__(detail)
        self.problem = problem(status, title, detail, field=field)
        self.retry_after = retry_after


class FieldError(EquivecError):
    """An error of the rooms below, and the field of the request that it is about."""

    def __init__(self, field: str, error: EquivecError) -> None:
        super().__init__(str(error))
        self.field = field
        self.error = error


def problem(status: int, title: str, detail: str, **more: Any) -> Problem:
    """A problem whose type follows from its title.

    >>> problem(413, "Too large", "at most 64 kB are read").type
    'urn:equivec:problem:too-large'
    """
    kind = title.lower().replace(" ", "-")
    return Problem(
        type=f"urn:equivec:problem:{kind}", title=title, status=status, detail=detail, **more
    )


def response(
    found: Problem, *, retry_after: int | None = None, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    """A problem as it is sent."""
    headers = {**(headers or {}), **({"Retry-After": str(retry_after)} if retry_after else {})}
    return JSONResponse(
        found.model_dump(exclude_none=True), found.status, headers=headers, media_type=MEDIA_TYPE
    )


def add_handlers(app: FastAPI) -> None:
    """Let every error of an application end in a problem."""
    app.add_exception_handler(EquivecError, _of_our_rooms)
    app.add_exception_handler(FileFormatError, _of_our_files)
    app.add_exception_handler(BusyError, _of_our_files)
    app.add_exception_handler(ServiceError, _refused)
    app.add_exception_handler(RequestValidationError, _not_the_schema)
    app.add_exception_handler(HTTPException, _of_http)
    app.add_exception_handler(Exception, _of_ours)


async def _of_our_rooms(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, EquivecError)
    field = error.field if isinstance(error, FieldError) else None
    inner = error.error if isinstance(error, FieldError) else error
    if isinstance(inner, ParseError):
        return response(
            problem(
                _UNPROCESSABLE,
                "Not an expression",
                str(inner),
                field=field,
                column=inner.column,
                caret=inner.with_caret(),
            )
        )
    return response(problem(_UNPROCESSABLE, "Out of range", str(inner), field=field))


async def _of_our_files(request: Request, error: Exception) -> JSONResponse:
    """The index or the model, which a client cannot mend; its paths are nobody's business."""
    _LOG.error("%s: %s", request.url.path, error)
    detail = "the service cannot read its index or its model at the moment; its log says why"
    return response(problem(503, "Not available", detail), retry_after=5)


async def _refused(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, ServiceError)
    return response(error.problem, retry_after=error.retry_after)


async def _not_the_schema(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        detail = f"the body is not JSON: {first['ctx']['error']} at character {first['loc'][-1]}"
        return response(problem(400, "Not JSON", detail))
    if first["loc"] == ("body",) and not _is_json(request.headers.get("content-type", "")):
        detail = "the body must be JSON; say so in the header Content-Type: application/json"
        return response(problem(415, "Unsupported Media Type", detail))
    where = ".".join(str(part) for part in first["loc"] if part != "body")
    detail = f"{where}: {first['msg']}" if where else str(first["msg"])
    return response(problem(_UNPROCESSABLE, "Not a valid request", detail, field=where or None))


def _is_json(content_type: str) -> bool:
    """Whether a content type is JSON's, or of a kind of JSON.

    >>> [_is_json(text) for text in ("application/json; charset=utf-8", "text/plain")]
    [True, False]
    """
    kind = content_type.partition(";")[0].strip().lower()
    return kind == "application/json" or kind.endswith("+json")


async def _of_http(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    title = HTTPStatus(error.status_code).phrase
    return response(problem(error.status_code, title, str(error.detail)), headers=error.headers)


async def _of_ours(_: Request, __: Exception) -> JSONResponse:
    detail = "the service failed on this request; its log says why"
    return response(problem(500, "Internal Server Error", detail))
