"""The page on which a reader tries every metric on a caption of their own."""

from dataclasses import dataclass
from http import HTTPStatus

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods
from django_htmx.middleware import HtmxDetails

from leaderboard.forms.playground import PlaygroundForm
from leaderboard.selectors.board.columns import grouped
from leaderboard.selectors.labellers.use import identity_in_use
from leaderboard.services.playground.computing import (
    RATE_GROUP,
    RETRY_SECONDS,
    PlaygroundFamily,
    PlaygroundReport,
    playground_compute,
    playground_labeller,
    word_weight_documents,
)
from leaderboard.services.playground.texts import MOST_BYTES, example_texts, too_long
from leaderboard.web.page_cache import Busy
from leaderboard.web.rate_limits import TOO_MANY, over_rate
from scoring.registry import METRICS


class TryRequest(HttpRequest):
    """A request of anyone; htmx's details are added by its middleware."""

    htmx: HtmxDetails


@dataclass(frozen=True, slots=True)
class PlaygroundAnswer:
    """What stands below the form: a report, or why there is none."""

    report: PlaygroundReport | None = None
    refusal: str = ""
    status: int = HTTPStatus.OK

    @property
    def again_in(self) -> int:
        """Seconds after which a browser sends the caption again; 0 where it does not."""
        return RETRY_SECONDS if self.status == HTTPStatus.SERVICE_UNAVAILABLE else 0


# To look for a CSRF token is to read the body: what is too large is refused before.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def try_metrics(request: TryRequest) -> HttpResponse:
    """Show the form with an example; of what is sent, show every metric and why."""
    length = request.META.get("CONTENT_LENGTH") or "0"
    if length.isdecimal() and int(length) > MOST_BYTES:
        answer = PlaygroundAnswer(refusal=too_long(), status=HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        return _page(request, PlaygroundForm(), answer)
    return _try_metrics(request)


@csrf_protect
def _try_metrics(request: TryRequest) -> HttpResponse:
    if request.method != "POST":
        metric = request.GET.get("metric", "")
        return _page(
            request, PlaygroundForm.showing(example_texts(metric), metric), PlaygroundAnswer()
        )
    if over_rate(request, RATE_GROUP, settings.TRY_RATE):
        # Nothing of what was sent is shown again: to refuse must cost next to nothing.
        answer = PlaygroundAnswer(refusal=TOO_MANY, status=HTTPStatus.TOO_MANY_REQUESTS)
        return _page(request, PlaygroundForm(), answer)
    form = PlaygroundForm(request.POST)
    return _page(request, form, _answer(form))


def _answer(form: PlaygroundForm) -> PlaygroundAnswer:
    if not form.is_valid():
        return PlaygroundAnswer(status=HTTPStatus.UNPROCESSABLE_ENTITY)
    try:
        return PlaygroundAnswer(report=playground_compute(form.texts, playground_labeller()))
    except Busy as busy:
        return PlaygroundAnswer(refusal=str(busy), status=HTTPStatus.SERVICE_UNAVAILABLE)


def _page(request: TryRequest, form: PlaygroundForm, answer: PlaygroundAnswer) -> HttpResponse:
    part = request.htmx and request.method == "POST"
    template = (
        "leaderboard/playground/_answer.html" if part else "leaderboard/playground/playground.html"
    )
    families = answer.report.families if answer.report else ()
    first, rest = _first(families, form.chosen)
    context = {
        "form": form,
        "answer": answer,
        "first": first,
        "groups": tuple(grouped(rest, lambda family: family.name)),
        "values": tuple(grouped(families, lambda family: family.name)),
        "chosen": METRICS.get(form.chosen),
        "documents": word_weight_documents(),
        "labeller": "" if part else identity_in_use(),
    }
    response = render(request, template, context, status=answer.status)
    if answer.again_in:
        response["Retry-After"] = str(answer.again_in)
    return response


def _first(
    families: tuple[PlaygroundFamily, ...], metric: str
) -> tuple[PlaygroundFamily | None, tuple[PlaygroundFamily, ...]]:
    """Take out the family that the reader came for."""
    wanted = METRICS[metric].family if metric else ""
    first = next((family for family in families if family.name == wanted), None)
    return first, tuple(family for family in families if family is not first)
