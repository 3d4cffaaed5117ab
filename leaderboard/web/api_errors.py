"""Errors of the API in one form, ``{"detail": "..."}``, some with more fields."""

from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime
from typing import Any, Literal

from django.conf import settings
from django.http import JsonResponse
from ninja import Schema
from pydantic import Field

from scoring.captions import Fault


class ApiError(Exception):
    """A refusal with its status; ``more`` are further fields of the answer."""

    def __init__(self, status: int, detail: str, **more: Any) -> None:
        super().__init__(detail)
        self.status = status
        self.more = more


class TooLarge(ApiError):
    """More bytes than this installation takes."""

    def __init__(self) -> None:
        limit = settings.MAX_UPLOAD_BYTES / 1_000_000
        super().__init__(413, f"The file is larger than {limit:g} MB. Nothing was submitted.")


def problem(status: int, detail: str, **more: Any) -> JsonResponse:
    """Answer with an error."""
    response = JsonResponse({"detail": detail, **more}, status=status)
    if status == 401:
        response["WWW-Authenticate"] = "Bearer"
    return response


def fault_rows(faults: Iterable[Fault]) -> list[dict[str, Any]]:
    """The faults as rows of JSON."""
    return [asdict(fault) for fault in faults]


def field_fault(field: str, message: str, value: str = "") -> dict[str, Any]:
    """A fault of a field of the request."""
    return asdict(Fault(None, field, value, message))


class Problem(Schema):
    """What went wrong and what to do, in a sentence or two."""

    detail: str


class FaultOut(Schema):
    """One problem of a file or of a field."""

    line: int | None = Field(description="Line of the file, from 1; null where none applies.")
    column: str | None = Field(description="Column of the file, or field of the request.")
    value: str = Field(description="What was found, made printable and cut.")
    message: str = Field(description="What is wrong and what to do.")
    severity: Literal["error", "warning"]
    file: str | None = Field(
        default=None, description="Its name, where several files came together."
    )


class Faulty(Problem):
    """A request or a file that cannot be taken, with all that is wrong at once."""

    faults: list[FaultOut]


class Refusal(Problem):
    """A phase that takes nothing now; ``resets_at`` where a day's quota is spent."""

    resets_at: datetime | None = None


READ_ERRORS: dict[int, Any] = {401: Problem, 404: Problem, 429: Problem}
# Of what is computed when it is asked for.
CACHED_ERRORS: dict[int, Any] = {**READ_ERRORS, 503: Problem}
WRITE_ERRORS: dict[int, Any] = {**READ_ERRORS, 400: Problem, 403: Problem}
