"""Errors of the API: one shape, ``{"detail": "..."}``, some with more beside it."""

import logging
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseNotAllowed,
    JsonResponse,
)
from django.http.multipartparser import MultiPartParserError
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, Throttled, ValidationError

from leaderboard.access import ClipsHidden, DescriptionClosed, PublishingNotYours
from leaderboard.kept import Busy
from leaderboard.services.judging import JudgingRefused
from leaderboard.services.submissions import FileRejected, QuotaSpent, SubmissionRefused
from leaderboard.services.withdrawing import ActRefused
from scoring.captions import Fault

logger = logging.getLogger(__name__)

NOT_FOUND = "There is nothing here, or nothing that you may see."
View = Callable[..., HttpResponseBase]


class ApiError(Exception):
    """A refusal with its status; ``more`` stands beside the detail."""

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
    """List faults as JSON."""
    return [
        {
            "line": fault.line,
            "column": fault.column,
            "value": fault.value,
            "message": fault.message,
            "severity": fault.severity,
            "file": fault.file,
        }
        for fault in faults
    ]


def _api_error(_request: HttpRequest, error: ApiError) -> HttpResponse:
    return problem(error.status, str(error), **error.more)


def _forbidden(_request: HttpRequest, error: PermissionDenied) -> HttpResponse:
    return problem(403, str(error))


def _not_found(_request: HttpRequest, _error: Http404) -> HttpResponse:
    return problem(404, NOT_FOUND)


def _unauthenticated(_request: HttpRequest, _error: AuthenticationError) -> HttpResponse:
    return problem(401, "Log in, or send a token as 'Authorization: Bearer ear_...'.")


def _throttled(_request: HttpRequest, _error: Throttled) -> HttpResponse:
    return problem(429, "Too many requests. Wait as long as Retry-After says, in seconds.")


def _busy(_request: HttpRequest, error: Busy) -> HttpResponse:
    response = problem(error.status, str(error))
    response["Retry-After"] = str(error.wait)
    return response


def _refused(_request: HttpRequest, error: Exception) -> HttpResponse:
    return problem(409, str(error))


def _quota_spent(_request: HttpRequest, error: QuotaSpent) -> HttpResponse:
    return problem(409, str(error), resets_at=error.quota.resets_at)


def _file_rejected(_request: HttpRequest, error: FileRejected) -> HttpResponse:
    return problem(422, str(error), faults=fault_rows(error.faults))


def _invalid(_request: HttpRequest, error: ValidationError) -> HttpResponse:
    """List each field as a fault; ``column`` is its name."""
    faults = [_field_fault(row["loc"], row["msg"]) for row in error.errors]
    what = " ".join(f"{row['column']}: {row['message']}" for row in faults)
    return problem(422, f"The request is not valid. {what}", faults=faults)


def _field_fault(place: tuple[str | int, ...], message: str) -> dict[str, Any]:
    said = message.removeprefix("Value error, ")
    return field_fault(str(place[-1]), said if said.endswith(".") else f"{said}.")


def field_fault(field: str, message: str, value: str = "") -> dict[str, Any]:
    """Give a fault of a field of the request."""
    return fault_rows([Fault(None, field, value, message)])[0]


def _too_big(_request: HttpRequest, _error: RequestDataTooBig) -> HttpResponse:
    return problem(413, str(TooLarge()))


def _unreadable(_request: HttpRequest, _error: Exception) -> HttpResponse:
    return problem(400, "The request cannot be read. Send it as multipart/form-data.")


def _unexpected(request: HttpRequest, error: Exception) -> HttpResponse:
    if settings.DEBUG:
        raise error
    # The text of an unexpected error may hold a hidden reference: it goes to the log only.
    logger.error("Unexpected error at %s", request.path, exc_info=error)
    return problem(500, "Something went wrong on the server and was noted. Try again later.")


HANDLERS: tuple[tuple[type[Exception], Callable[..., HttpResponse]], ...] = (
    (ApiError, _api_error),
    (Http404, _not_found),
    (ClipsHidden, _forbidden),
    (DescriptionClosed, _forbidden),
    (PublishingNotYours, _forbidden),
    (AuthenticationError, _unauthenticated),
    (Throttled, _throttled),
    (Busy, _busy),
    (SubmissionRefused, _refused),
    (ActRefused, _refused),
    (JudgingRefused, _refused),
    (QuotaSpent, _quota_spent),
    (FileRejected, _file_rejected),
    (ValidationError, _invalid),
    (RequestDataTooBig, _too_big),
    (SuspiciousOperation, _unreadable),
    (MultiPartParserError, _unreadable),
    (Exception, _unexpected),
)


def answer_errors(api: NinjaAPI) -> None:
    """Make an API answer every error in the one shape."""
    for kind, handler in HANDLERS:
        api.add_exception_handler(kind, handler)


def answer_wrong_methods(view: View) -> View:
    """Give "method not allowed", which Django answers in plain text, the shape of the others."""

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
