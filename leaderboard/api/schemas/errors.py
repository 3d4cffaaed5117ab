"""Errors as the API describes them."""

from datetime import datetime
from typing import Any, Literal

from ninja import Schema
from pydantic import Field


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
KEPT_ERRORS: dict[int, Any] = {**READ_ERRORS, 503: Problem}
WRITE_ERRORS: dict[int, Any] = {**READ_ERRORS, 400: Problem, 403: Problem}
