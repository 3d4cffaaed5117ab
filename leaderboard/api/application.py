"""The API as a whole."""

from functools import cached_property
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, URLResolver, re_path
from django.views.decorators.csrf import csrf_exempt
from django.views.generic import RedirectView
from ninja import NinjaAPI
from ninja.openapi.docs import DocsBase
from ninja.openapi.schema import OpenAPISchema

import scoring
from annotation.api import agreement as labelling_agreement
from annotation.api import formats as labelling_files
from annotation.api import judging as labelling_judging
from annotation.api import tasks as labelling  # both apps speak through one API
from annotation.api import text_findings as labelling_text_findings
from leaderboard.api import (
    analysis,
    boards,
    clips,
    metrics,
    people,
    phases,
    references,
    submission_decisions,
    submissions,
    words,
)
from leaderboard.api.error_handlers import NOT_FOUND, answer_errors, answer_wrong_methods
from leaderboard.web.api_auth import KNOWN, NAMESPACE
from leaderboard.web.api_errors import describe_errors, problem
from leaderboard.web.rate_limits import Rate

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
    "For organisers": "What a ranking would be under other rules; for who runs the challenge.",
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
        for methods in description["paths"].values():
            for operation in methods.values():
                # Of what is public none is needed, and none is named.
                if {} in operation["security"]:
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
            "info": {"x-scorer-version": scoring.__version__},
            "tags": [{"name": name, "description": what} for name, what in READERS.items()],
        },
    }
    api = Api(**options)
    answer_errors(api)
    for part in (
        phases,
        references,
        boards,
        analysis,
        words,
        submissions,
        submission_decisions,
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
