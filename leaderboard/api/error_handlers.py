"""How the API answers each kind of error: all in the one shape of ``web.api_errors``."""

import logging
from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotAllowed
from django.http.multipartparser import MultiPartParserError
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, Throttled, ValidationError

from leaderboard.selectors.clips.corpus import CaptionsUnreadable
from leaderboard.web.api_errors import fault_rows, problem, too_large
from leaderboard.web.page_cache import Busy
from leaderboard.web.refusals import Refused
from scoring.captions import Fault

logger = logging.getLogger(__name__)

NOT_FOUND = "There is nothing here, or nothing that you may see."
View = Callable[..., HttpResponseBase]


# What is answered with a text of its own, whatever the error says.
ANSWERS: dict[type[Exception], tuple[int, str]] = {
    Http404: (404, NOT_FOUND),
    AuthenticationError: (401, "Log in, or send a token as 'Authorization: Bearer ear_...'."),
    Throttled: (429, "Too many requests. Wait as long as Retry-After says, in seconds."),
    CaptionsUnreadable: (
        404,
        "The stored file can no longer be read by this version of the scorer.",
    ),
    RequestDataTooBig: (413, str(too_large())),
    SuspiciousOperation: (400, "The request cannot be read. Send it as multipart/form-data."),
    MultiPartParserError: (400, "The request cannot be read. Send it as multipart/form-data."),
}


def _refused(_request: HttpRequest, error: Refused) -> HttpResponse:
    more = error.more
    if error.status == HTTPStatus.UNPROCESSABLE_ENTITY:
        of_field = [Fault(None, error.field, "", str(error))] if error.field else []
        more = {**more, "faults": fault_rows(error.faults or of_field)}
    return problem(error.status, str(error), **more)


def _denied(_request: HttpRequest, error: PermissionDenied) -> HttpResponse:
    return problem(403, str(error) or "You may not do this. Nothing was changed.")


def _busy(_request: HttpRequest, error: Busy) -> HttpResponse:
    response = problem(error.status, str(error))
    response["Retry-After"] = str(error.wait)
    return response


def _invalid(_request: HttpRequest, error: ValidationError) -> HttpResponse:
    """List each field as a fault; ``column`` is its name."""
    faults = [_field_fault(row["loc"], row["msg"]) for row in error.errors]
    what = " ".join(f"{fault.column}: {fault.message}" for fault in faults)
    return problem(422, f"The request is not valid. {what}", faults=fault_rows(faults))


def _field_fault(place: tuple[str | int, ...], message: str) -> Fault:
    text = message.removeprefix("Value error, ")
    return Fault(None, str(place[-1]), "", text if text.endswith(".") else f"{text}.")


def _unexpected(request: HttpRequest, error: Exception) -> HttpResponse:
    if settings.DEBUG:
        raise error
    # The text of an unexpected error may hold a hidden reference: it goes to the log only.
    logger.error("Unexpected error at %s", request.path, exc_info=error)
    return problem(500, "Something went wrong on the server and was noted. Try again later.")


HANDLERS: dict[type[Exception], Callable[..., HttpResponse]] = {
    Refused: _refused,
    PermissionDenied: _denied,
    Busy: _busy,
    ValidationError: _invalid,
    Exception: _unexpected,
    **{kind: lambda _, _error, answer=answer: problem(*answer) for kind, answer in ANSWERS.items()},
}


def answer_errors(api: NinjaAPI) -> None:
    """Make an API answer every error in the one shape."""
    for kind, handler in HANDLERS.items():
        api.add_exception_handler(kind, handler)


def answer_wrong_methods(view: View) -> View:
    """Answer "method not allowed" in the one shape; Django would answer in plain text."""

    @wraps(view)
    def answered(*args: Any, **kwargs: Any) -> HttpResponseBase:
        response = view(*args, **kwargs)
        if not isinstance(response, HttpResponseNotAllowed):
            return response
        allowed = ", ".join(sorted(response["Allow"].split(", ")))
        refusal = problem(405, f"This address takes {allowed}.")
        refusal["Allow"] = allowed
        return refusal

    return answered
