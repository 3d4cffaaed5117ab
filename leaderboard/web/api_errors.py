"""Errors of the API in one form, ``{"detail": "..."}``, some with more fields."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any, Literal

from django.conf import settings
from django.http import JsonResponse
from ninja import Schema
from pydantic import Field

from earmark.captions import Fault
from leaderboard.web.refusals import Refused


def too_large() -> Refused:
    """The refusal of more bytes than this installation takes."""
    limit = settings.MAX_UPLOAD_BYTES / 1_000_000
    return Refused(f"The file is larger than {limit:g} MB. Nothing was submitted.", status=413)


def problem(status: int, detail: str, **more: Any) -> JsonResponse:
    """Answer with an error."""
    response = JsonResponse({"detail": detail, **more}, status=status)
    if status == 401:
        response["WWW-Authenticate"] = "Bearer"
    return response


def fault_rows(faults: Iterable[Fault]) -> list[dict[str, Any]]:
    """The faults as rows of JSON."""
    return [asdict(fault) for fault in faults]


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


# Whether an operation answers so, by its path, method and description.
Answers = Callable[[str, str, Mapping[str, Any]], bool]


def _sends(_path: str, _method: str, operation: Mapping[str, Any]) -> bool:
    return "requestBody" in operation


# What an operation need not name itself: the description of the API has these from here. Named
# there are 409, and 503 where something is computed or a file is read.
DESCRIBED_ERRORS: tuple[tuple[int, type[Problem], str, Answers], ...] = (
    (400, Problem, "The request cannot be read.", lambda *_: True),
    (401, Problem, "A log-in or a valid token is needed.", lambda *_: True),
    (
        403,
        Problem,
        "You may not do or see this; or a browser's request lacks its CSRF token.",
        lambda path, method, _: method != "get" or "/phases/" in path or "/submissions/" in path,
    ),
    (
        404,
        Problem,
        "There is nothing here, or nothing that you may see.",
        lambda path, *_: "{" in path,
    ),
    (413, Problem, "More bytes were sent than are taken.", _sends),
    (
        422,
        Faulty,
        "The request is not valid; all that is wrong with it.",
        lambda path, method, operation: (
            "parameters" in operation or _sends(path, method, operation)
        ),
    ),
    (429, Problem, "Too many requests; Retry-After says how long.", lambda *_: True),
)


def describe_errors(description: dict[str, Any]) -> None:
    """Add to an OpenAPI description what operations answer with in case of errors."""
    schemas = description["components"]["schemas"]
    for body in (Problem, Faulty):
        schema = body.model_json_schema(ref_template="#/components/schemas/{model}")
        schemas |= schema.pop("$defs", {}) | {body.__name__: schema}
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            for status, body, why, answers in DESCRIBED_ERRORS:
                if answers(path, method, operation):
                    reference = {"$ref": f"#/components/schemas/{body.__name__}"}
                    content = {"application/json": {"schema": reference}}
                    answer = {"description": why, "content": content}
                    operation["responses"].setdefault(status, answer)
