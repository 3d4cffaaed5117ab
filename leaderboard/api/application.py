"""The API as a whole, and how it answers each kind of error, in the one shape of ``api_errors``."""

import logging
from collections.abc import Callable
from functools import cached_property, wraps
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotAllowed
from django.http.multipartparser import MultiPartParserError
from django.shortcuts import render
from django.urls import URLPattern, URLResolver, re_path
from django.views.decorators.csrf import csrf_exempt
from django.views.generic import RedirectView
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, Throttled, ValidationError
from ninja.openapi.docs import DocsBase
from ninja.openapi.schema import OpenAPISchema

import earmark
from annotation.api import agreement as labelling_agreement
from annotation.api import formats as labelling_files
from annotation.api import judging as labelling_judging
from annotation.api import tasks as labelling  # both apps speak through one API
from annotation.api import text_findings as labelling_text_findings
from earmark.captions import Fault
from leaderboard.api import analysis, boards, clips, metrics, people, phases, submissions, words
from leaderboard.selectors.clips.corpus import CaptionsUnreadable
from leaderboard.web.api_auth import KNOWN, NAMESPACE, Nobody
from leaderboard.web.api_errors import describe_errors, fault_rows, problem, too_large
from leaderboard.web.page_cache import Busy
from leaderboard.web.rate_limits import Rate
from leaderboard.web.refusals import Refused

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


def _busy(_request: HttpRequest, error: Busy) -> HttpResponse:
    response = problem(error.status, str(error))
    response["Retry-After"] = str(error.wait)
    return response


def _invalid(_request: HttpRequest, error: ValidationError) -> HttpResponse:
    """List each field as a fault; ``column`` is its name."""
    faults = []
    for row in error.errors:
        text = row["msg"].removeprefix("Value error, ")
        text = text if text.endswith(".") else f"{text}."
        faults.append(Fault(None, str(row["loc"][-1]), "", text))
    what = " ".join(f"{fault.column}: {fault.message}" for fault in faults)
    return problem(422, f"The request is not valid. {what}", faults=fault_rows(faults))


def _unexpected(request: HttpRequest, error: Exception) -> HttpResponse:
    if settings.DEBUG:
        raise error
    # The text of an unexpected error may hold a hidden reference: it goes to the log only.
    logger.error("Unexpected error at %s", request.path, exc_info=error)
    return problem(500, "Something went wrong on the server and was noted. Try again later.")


HANDLERS: dict[type[Exception], Callable[..., HttpResponse]] = {
    Refused: _refused,
    PermissionDenied: lambda _, error: problem(
        403, str(error) or "You may not do this. Nothing was changed."
    ),
    Busy: _busy,
    ValidationError: _invalid,
    Exception: _unexpected,
    **{kind: lambda _, _error, answer=answer: problem(*answer) for kind, answer in ANSWERS.items()},
}


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


DESCRIPTION = (
    "Submit systems, follow their scoring, read leaderboards. What is public needs no log-in; "
    "for the rest make a token on the page of your account and send it as "
    "`Authorization: Bearer ear_...`. Times are UTC. Numbers are rounded as on the pages where "
    "references are hidden, and not at all elsewhere. Every error "
    'is `{"detail": "..."}`, some with more beside it.'
)

# In the order of the page: who needs an operation, which its tag names.
READERS = {
    "For participants": "Submit systems, follow their scoring, withdraw them; your teams.",
    "For everyone": "Challenges, leaderboards, analysis, metrics. No log-in is needed.",
    "For organisers": "What a ranking would be under other rules; for its organisers.",
    "For labelling": "What the labelling page asks and sends; labels in and out, agreement.",
}


@csrf_exempt
def not_found(_request: HttpRequest) -> HttpResponse:
    """Answer for every address that nothing else answers for."""
    return problem(404, NOT_FOUND)


class Api(NinjaAPI):
    """The API; what Django itself would answer in HTML or text has the shape of all errors."""

    @cached_property
    def described(self) -> OpenAPISchema:
        """The OpenAPI description, made once since that takes half a second."""
        description = super().get_openapi_schema()
        describe_errors(description)
        del description["components"]["securitySchemes"][Nobody.__name__]
        for methods in description["paths"].values():
            for operation in methods.values():
                # Of what is public none is needed, and none is named.
                if {Nobody.__name__: []} in operation["security"]:
                    operation["security"] = []
        return description

    def get_openapi_schema(self, **_place: Any) -> OpenAPISchema:
        """The OpenAPI description; the API has one place, which takes no parameters."""
        return self.described

    @property
    def urls(self) -> tuple[list[URLResolver | URLPattern], str, str]:
        """The addresses; the root leads to the description."""
        patterns, app, namespace = super().urls
        for pattern in patterns:
            if not isinstance(pattern, URLPattern):
                continue
            if pattern.name == "api-root":
                pattern.callback = RedirectView.as_view(pattern_name=f"{NAMESPACE}:openapi-view")
            pattern.callback = answer_wrong_methods(pattern.callback)
        # Any character, line ends too, which the path converter leaves out.
        return [*patterns, re_path(r"^[\s\S]+$", not_found)], app, namespace


def build() -> Api:
    """Put the parts together."""
    options: dict[str, Any] = {
        "title": f"{settings.SITE_NAME} API",
        "version": "1",
        "description": DESCRIPTION,
        "urls_namespace": NAMESPACE,
        "auth": KNOWN,
        "throttle": Rate("any", settings.API_RATE),
        "docs": ApiDocs(),
        "openapi_extra": {
            "info": {"x-scorer-version": earmark.__version__},
            "tags": [{"name": name, "description": what} for name, what in READERS.items()],
        },
    }
    api = Api(**options)
    for kind, handler in HANDLERS.items():
        api.add_exception_handler(kind, handler)
    for part in (
        phases,
        boards,
        analysis,
        words,
        submissions,
        clips,
        metrics,
        labelling,
        labelling_judging,
        labelling_text_findings,
        labelling_files,
        labelling_agreement,
        people,
    ):
        api.add_router("", part.router)
    return api


class ApiDocs(DocsBase):
    """The description as a page of the site, in the order of who needs what."""

    def render_page(self, request: HttpRequest, api: NinjaAPI, **_place: Any) -> HttpResponse:
        """Show the operations, and the objects that they take and answer with."""
        description = api.get_openapi_schema()
        every = [
            {"method": method.upper(), "path": path, **operation}
            for path, methods in description["paths"].items()
            for method, operation in methods.items()
        ]
        context = {
            "readers": [
                (name, what, [one for one in every if name in one["tags"]])
                for name, what in READERS.items()
            ],
            "objects": description["components"]["schemas"].items(),
        }
        return render(request, "leaderboard/api/docs.html", context)
