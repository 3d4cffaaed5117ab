"""What views share: who may ask, how and how often, and what the pages of one thing are given."""

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from leaderboard.models import Phase
from leaderboard.selectors.visibility.visible_submissions import AnySubmission
from leaderboard.web.rate_limits import P, R, View, rate_limited


def signed_in_page(view: View[R, P]) -> View[R, P]:
    """A page to read for who is logged in, which no browser keeps."""
    return login_required(never_cache(require_safe(view)))


def signed_in_form(group: str, rate: str) -> Callable[[View[R, P]], View[R, P]]:
    """A page with a form for who is logged in, which no browser keeps; limited as by ``rate``."""

    def decorate(view: View[R, P]) -> View[R, P]:
        asked = require_http_methods(["GET", "HEAD", "POST"])(view)
        return login_required(never_cache(rate_limited(group, rate)(asked)))

    return decorate


def signed_in_act(group: str = "", rate: str = "") -> Callable[[View[R, P]], View[R, P]]:
    """What a button does for who is logged in: posts alone, limited where there is a ``rate``."""

    def decorate(view: View[R, P]) -> View[R, P]:
        posted = require_POST(view)
        return login_required(rate_limited(group, rate)(posted) if rate else posted)

    return decorate


def phase_context(phase: Phase) -> dict[str, Any]:
    """What every page of a phase is given."""
    return {"phase": phase, "challenge": phase.challenge}


def system_context(submission: AnySubmission) -> dict[str, Any]:
    """What every page of a system is given."""
    return {"submission": submission, **phase_context(submission.phase)}


def form_rendered(request: HttpRequest, template: str, context: Mapping[str, Any]) -> HttpResponse:
    """The page of the ``form`` in ``context``: 422 where it was sent and is shown again."""
    status = HTTPStatus.UNPROCESSABLE_ENTITY if context["form"].is_bound else HTTPStatus.OK
    return render(request, template, dict(context), status=status)
