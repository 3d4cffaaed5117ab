"""How the API answers each kind of error: all in the one shape of ``web.api_errors``."""

import logging
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotAllowed
from django.http.multipartparser import MultiPartParserError
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, Throttled, ValidationError

from leaderboard.access import ClipsHidden, DescriptionClosed, PublishingRefused
from leaderboard.selectors.clips.corpus import CaptionsUnreadable
from leaderboard.services.organising.judging import JudgingRefused
from leaderboard.services.submissions.accepting import QuotaSpent
from leaderboard.services.submissions.changes import TeamActionRefused
from leaderboard.services.submissions.packages import FileRejected, SubmissionRefused
from leaderboard.web.api_errors import ApiError, TooLarge, fault_rows, field_fault, problem
from leaderboard.web.page_cache import Busy

logger = logging.getLogger(__name__)

NOT_FOUND = "There is nothing here, or nothing that you may see."
View = Callable[..., HttpResponseBase]


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


def _too_big(_request: HttpRequest, _error: RequestDataTooBig) -> HttpResponse:
    return problem(413, str(TooLarge()))


def _unreadable(_request: HttpRequest, _error: Exception) -> HttpResponse:
    return problem(400, "The request cannot be read. Send it as multipart/form-data.")


def _captions_unreadable(_request: HttpRequest, _error: Exception) -> HttpResponse:
    return problem(404, "The stored file can no longer be read by this version of the scorer.")


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
    (PublishingRefused, _forbidden),
    (AuthenticationError, _unauthenticated),
    (Throttled, _throttled),
    (Busy, _busy),
    (SubmissionRefused, _refused),
    (TeamActionRefused, _refused),
    (JudgingRefused, _refused),
    (QuotaSpent, _quota_spent),
    (FileRejected, _file_rejected),
    (CaptionsUnreadable, _captions_unreadable),
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
