"""A system clip by clip: the list of its clips, and one clip with all that is known of it."""

from dataclasses import dataclass, replace
from typing import Any, get_args

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from leaderboard import access
from leaderboard.models import Submission
from leaderboard.selectors.boards import USUAL_COLUMNS
from leaderboard.selectors.clips import (
    CaptionsUnreadable,
    ClipMetric,
    ClipReport,
    Corpus,
    Order,
    clip_lines,
    clip_order,
    clip_report,
    clip_values,
    corpus_of,
    metrics_of_clips,
)
from leaderboard.selectors.groups import grouped
from leaderboard.selectors.scales import Scale
from scoring.registry import METRICS, MetricInfo
from scoring.results import PerClip

PER_PAGE = 50
ORDERS = {"worst": "Worst first", "best": "Best first", "file": "As in the references"}


@dataclass(frozen=True, slots=True)
class Asked:
    """What the address asks for, nonsense replaced; ``metric`` None where none is scored."""

    metric: MetricInfo | None
    order: Order
    words: str

    @property
    def without_words(self) -> "Asked":
        """The same for all clips."""
        return replace(self, words="")

    def query(self, **more: str | int) -> str:
        """Write it as the query of an address."""
        found: dict[str, str | int] = {"sort": self.order}
        if self.metric is not None:
            found["metric"] = self.metric.name
        if self.words:
            found["q"] = self.words
        return urlencode({**found, **more})


@require_safe
def clip_list(request: HttpRequest, public_id: str) -> HttpResponse:
    """List the clips of a system by a metric's value, fifty on a page."""
    submission = access.clips_for(request.user, public_id)
    corpus = _corpus(submission)
    choices = metrics_of_clips(submission)
    asked = _asked(request, submission, choices)
    signature, values = _values(submission, asked)
    order = _positions(corpus, values, asked)
    page = Paginator(order, PER_PAGE).get_page(request.GET.get("page"))
    return render(
        request,
        "leaderboard/clips.html",
        {
            **_place(submission),
            "asked": asked,
            "choices": choices,
            "orders": ORDERS.items(),
            "signature": signature,
            "scale": _scale(asked, values),
            "page": page,
            "lines": clip_lines(corpus, values, page.object_list, words=asked.words),
            "clips": len(corpus),
        },
    )


@require_safe
def clip(request: HttpRequest, public_id: str, number: int) -> HttpResponse:
    """Show one clip: captions, every metric's value, and why it has that value."""
    submission = access.clips_for(request.user, public_id)
    corpus = _corpus(submission)
    if not 1 <= number <= len(corpus):
        raise Http404
    report = clip_report(submission, corpus, number - 1)
    asked = _asked(request, submission, metrics_of_clips(submission))
    return render(
        request,
        "leaderboard/clip.html",
        {
            **_place(submission),
            "asked": asked,
            "report": report,
            "line": report.line,
            "key": _key(report, submission),
            "groups": tuple(grouped(report.families, lambda family: family.name)),
            **_neighbours(request, submission, corpus, asked, number - 1),
        },
    )


def _key(report: ClipReport, submission: Submission) -> list[ClipMetric]:
    """Choose the metrics that stand first: the ranking metric, and what its board shows."""
    phase = submission.phase
    found = {metric.info.name: metric for family in report.families for metric in family.metrics}
    wanted = dict.fromkeys((phase.ranking_metric, *(phase.columns or USUAL_COLUMNS)))
    return [found[name] for name in wanted if name in found]


def _place(submission: Submission) -> dict[str, Any]:
    phase = submission.phase
    return {"submission": submission, "phase": phase, "challenge": phase.challenge}


def _corpus(submission: Submission) -> Corpus:
    try:
        return corpus_of(submission)
    except CaptionsUnreadable as error:
        raise Http404 from error


def _asked(request: HttpRequest, submission: Submission, choices: list[MetricInfo]) -> Asked:
    """Read the address; without a metric the ranking metric is meant, else the first."""
    names = {info.name for info in choices}
    wanted = (request.GET.get("metric", ""), submission.phase.ranking_metric)
    name = next((name for name in wanted if name in names), None)
    info = METRICS[name] if name else next(iter(choices), None)
    order = request.GET.get("sort", "")
    return Asked(
        metric=info,
        order=order if order in get_args(Order) else "worst",  # type: ignore[arg-type]
        words=" ".join(request.GET.get("q", "").replace("\0", " ").split())[:200],
    )


def _values(submission: Submission, asked: Asked) -> tuple[str, PerClip | None]:
    found = None if asked.metric is None else clip_values(submission, asked.metric.name)
    return found or ("", None)


def _positions(corpus: Corpus, values: PerClip | None, asked: Asked) -> list[int]:
    better = asked.metric.direction if asked.metric else "higher"
    return clip_order(corpus, values, order=asked.order, better=better, words=asked.words)


def _scale(asked: Asked, values: PerClip | None) -> Scale | None:
    """Give the scale of the drawings: the metric's own where it ends, else up to the highest."""
    if asked.metric is None or values is None:
        return None
    finite = values[abs(values) < float("inf")]
    if not finite.size:
        return None
    high = asked.metric.high if asked.metric.high <= 1 else float(finite.max())
    return Scale(min(0.0, float(finite.min())), max(high, 1e-6))


def _neighbours(
    request: HttpRequest, submission: Submission, corpus: Corpus, asked: Asked, position: int
) -> dict[str, Any]:
    """Give the clips before and after: in the list that the reader came from, else in the file."""
    order = list(range(len(corpus)))
    listed = bool(request.GET.keys() & {"sort", "metric", "q"})
    if listed:
        found = _positions(corpus, _values(submission, asked)[1], asked)
        listed = position in found
        order = found if listed else order
    at = order.index(position)
    return {
        "previous": order[at - 1] + 1 if at else None,
        "next": order[at + 1] + 1 if at + 1 < len(order) else None,
        "at": at + 1,
        "of": len(order),
        "query": asked.query() if listed else "",
        "list_query": asked.query(page=at // PER_PAGE + 1) if listed else "",
    }
