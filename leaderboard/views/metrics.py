"""What the metrics are, and trying every one of them on a caption of one's own."""

from dataclasses import dataclass
from http import HTTPStatus

from django.conf import settings
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_safe
from django_htmx.middleware import HtmxDetails

import earmark
from earmark.as_published import models_of
from earmark.benchmark import TOTAL
from earmark.benchmark_results import KINDS, measured, published_result, published_results
from earmark.errors import ScoringError
from earmark.registry import FAMILIES, METRICS, metrics_for, metrics_of
from earmark.tricks.captions import TRICKS
from earmark.tricks.measuring import measured_tricks
from leaderboard import access
from leaderboard.forms.playground import PlaygroundForm
from leaderboard.models import Phase
from leaderboard.scorer import family_parameters
from leaderboard.selectors.analysis.human_judgments import (
    KIND_TITLES,
    left_out,
    registry_shares,
    shares_scale,
)
from leaderboard.selectors.analysis.tricks import false_sound_share, trick_row, trick_rows
from leaderboard.selectors.board.columns import grouped
from leaderboard.selectors.figures.human_judgments import human_judgments_figure
from leaderboard.selectors.labellers.use import (
    identity_in_use,
    labeller_in_use,
    new_phase_parameters,
)
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
from leaderboard.web.visitors_cache import cached_for_visitors
from leaderboard.wheel import wheel_path


@require_safe
@cached_for_visitors()
def metrics(request: HttpRequest) -> HttpResponse:
    """List every metric."""
    return render(request, "leaderboard/metrics/list.html", {"metrics": tuple(METRICS.values())})


@require_safe
def metric(request: HttpRequest, name: str) -> HttpResponse:
    """Show what a metric measures, how to read it and its settings here."""
    info = METRICS.get(name)
    if info is None:
        raise Http404
    phases = Phase.objects.filter(
        ranking_metric=name, challenge__in=access.challenges_visible(request.user)
    ).select_related("challenge")
    return render(
        request,
        "leaderboard/metrics/metric.html",
        {
            "info": info,
            "explanation": info.explanation,
            "relatives": [other for other in metrics_of(info.family) if other.name != name],
            "phases": phases,
            "judged": next((row for row in registry_shares() if row.info.name == name), None),
            "not_judged": left_out().get(name, ""),
            "tricked": trick_row(name),
            "false_sounds": false_sound_share(name),
            # Neither what several candidates are needed for nor what a phase configures is tried.
            "form": PlaygroundForm.showing(example_texts(name), name)
            if name in metrics_for(several=False)
            else None,
            "documents": word_weight_documents(),
            "papers_models": models_of(info.family),
            **_settings(info.family),
            **(_labeller(request) if FAMILIES[info.family].labeller_options else {}),
        },
    )


@require_safe
def wheel(_request: HttpRequest, version: str) -> FileResponse:
    """Send the wheel of the version that runs here, and of no other."""
    if version != earmark.__version__:
        raise Http404("The site offers the version that it runs.")
    path = wheel_path(settings.VAR_DIR / "wheel")
    # For minutes alone: a checkout may change without a new version.
    headers = {"Cache-Control": "public, max-age=300", "X-Content-Type-Options": "nosniff"}
    return FileResponse(
        path.open("rb"),
        as_attachment=True,
        filename=path.name,
        content_type="application/octet-stream",
        headers=headers,
    )


@require_safe
@cached_for_visitors("pairs")
def agreement(request: HttpRequest) -> HttpResponse:
    """Show how often each metric agrees with people, on the kind of pair that ``?pairs=`` names."""
    kind_name = request.GET.get("pairs", "")
    kind = kind_name if kind_name in KINDS else TOTAL
    # How often one person agrees with the other three, as published.
    people = published_result("")
    rows = sorted(registry_shares(), key=lambda row: -row.of(kind).value)
    return render(
        request,
        "leaderboard/metrics/human_judgments.html",
        {
            "kind": kind,
            "kinds": KIND_TITLES,
            "pairs": list(measured().pairs.items()),
            "rows": [(row, row.of(kind), row.shares) for row in rows],
            "figure": human_judgments_figure(
                rows, kind, people.audiocaps.get(kind) if people else None
            ),
            "scale": shares_scale(rows, kind),
            "measured": measured(),
            "published": [
                (
                    METRICS.get(row.metric),
                    row,
                    [row.audiocaps.get(kind) for kind in KINDS],
                    [row.clotho.get(kind) for kind in KINDS],
                )
                for row in published_results()
            ],
            "tricks": TRICKS,
            "trick_rows": trick_rows(),
            "trick_clips": measured_tricks().clips,
            "left_out": [(METRICS[name], reason) for name, reason in left_out().items()],
        },
    )


def _labeller(request: HttpRequest) -> dict[str, object]:
    """Which labeller is in use, and whether the reader may look at it."""
    return {
        "labeller": identity_in_use(),
        "labeller_use": labeller_in_use(),
        "sees_labellers": access.may_see_labellers(request.user),
    }


def _settings(family_name: str) -> dict[str, object]:
    """The parameters of a new phase here, or why the metric is not available."""
    if FAMILIES[family_name].configured_by_phase:
        return {"by_phase": True}
    own = new_phase_parameters().get(family_name)
    try:
        return {"parameters": family_parameters(family_name, own)}
    except (ScoringError, ImportError) as error:
        return {"unavailable": str(error)}


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
