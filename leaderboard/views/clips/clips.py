"""A system clip by clip: the list of its clips, one clip with all that is known, and its sound."""

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

import numpy as np
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from earmark.registry import MetricInfo
from leaderboard import access
from leaderboard.models import AudioFile, Phase, ReferenceSet, User
from leaderboard.selectors.board.columns import USUAL_COLUMNS, grouped
from leaderboard.selectors.clips.audio import audio_path, origin_of, sound_of
from leaderboard.selectors.clips.corpus import (
    CaptionsUnreadable,
    ClipMetric,
    ClipReport,
    Corpus,
    clip_report,
    clips_with_words,
    evaluations_of,
    metrics_of_clips,
    references_of,
)
from leaderboard.selectors.clips.findings import Findings, clips_with, findings_of
from leaderboard.selectors.clips.side_by_side import (
    MetricColumn,
    beside_clips,
    clip_rows,
    columns_of,
    corpora_of,
    gaps_of,
    ordered,
)
from leaderboard.selectors.clips.verdict import clip_verdict
from leaderboard.selectors.ranking.interval_scale import Scale
from leaderboard.selectors.visibility.visible_submissions import AnySubmission, VisibleSubmission
from leaderboard.views.clips.query import (
    LIST_PARAMETERS,
    ORDERS,
    ORDERS_OF_SEVERAL,
    ClipListQuery,
    chooser_of,
    clip_list_query,
    compared_systems,
    filter_chips,
    filter_fields,
)
from leaderboard.views.pages import system_context
from leaderboard.web.extensions import audio_listeners
from leaderboard.web.file_responses import allow_media_from, audio_response

PER_PAGE = 50


@dataclass(frozen=True, slots=True)
class Explorer:
    """A system, those beside it, and what the address asks of their clips.

    ``systems`` and ``corpora`` have the system itself first; ``others`` are all
    that could stand beside it.
    """

    systems: tuple[AnySubmission, ...]
    corpora: tuple[Corpus, ...]
    others: list[VisibleSubmission]
    choices: list[MetricInfo]
    asked: ClipListQuery

    @property
    def submission(self) -> AnySubmission:
        """The system itself."""
        return self.systems[0]

    @property
    def corpus(self) -> Corpus:
        """Its clips."""
        return self.corpora[0]

    def columns(self) -> tuple[MetricColumn, ...]:
        """Read the values of the metric asked for; empty columns where none is scored."""
        if self.asked.metric is None:
            return tuple(
                MetricColumn(system, "", None, comparable=False) for system in self.systems
            )
        return columns_of(self.systems, self.asked.metric.name)

    def positions(self, columns: tuple[MetricColumn, ...], findings: Findings) -> list[int]:
        """List the clips asked for in the order asked for."""
        wanted = clips_with_words(self.corpus, self.asked.words)
        wanted &= clips_with(findings, self.asked.filters, len(self.corpus))
        return ordered(wanted, columns, self.asked.metric, self.asked.order)


@require_safe
def clip_list(request: HttpRequest, public_id: str) -> HttpResponse:
    """List the clips of a system by a metric's value, fifty on a page."""
    submission = access.clips_for(request.user, public_id)
    explorer = _explorer(request, submission, listed=True)
    query = explorer.asked
    findings = findings_of(evaluations_of(submission)) if query.choosing else {}
    columns = explorer.columns()
    positions = explorer.positions(columns, findings)
    page = Paginator(positions, PER_PAGE).get_page(request.GET.get("page"))
    gaps = gaps_of(columns, query.metric, query.order) if query.metric else None
    return render(
        request,
        "leaderboard/clips/list.html",
        {
            **system_context(submission),
            "asked": query,
            "choices": explorer.choices,
            "orders": (ORDERS | ORDERS_OF_SEVERAL if explorer.systems[1:] else ORDERS).items(),
            "fields": filter_fields(query, findings),
            "chips": filter_chips(query),
            "chooser": chooser_of(
                query, explorer.systems, explorer.others, request.GET.get("find", "")
            ),
            "columns": columns,
            "unlike": [c.system for c in columns[1:] if c.values is not None and not c.comparable],
            "scale": _scale(query, columns),
            "page": page,
            "rows": clip_rows(
                explorer.corpora, columns, list(page.object_list), gaps=gaps, words=query.words
            ),
            "clips": len(explorer.corpus),
            "query": query.query(),
        },
    )


@require_safe
def clip(request: HttpRequest, public_id: str, number: int) -> HttpResponse:
    """Show one clip: captions, every metric's value, and why it has that value."""
    submission = access.clips_for(request.user, public_id)
    explorer = _explorer(request, submission, listed=bool(request.GET.keys() & LIST_PARAMETERS))
    if not 1 <= number <= len(explorer.corpus):
        raise Http404
    report = clip_report(submission, explorer.corpus, number - 1)
    neighbours, query = _neighbours(explorer, number - 1)
    explorer = replace(explorer, asked=query)
    list_page = {"page": (neighbours["at"] - 1) // PER_PAGE + 1} if query.listed else {}
    key = _key(report, submission)
    page = render(
        request,
        "leaderboard/clips/clip.html",
        {
            **system_context(submission),
            "line": report.line,
            "sound": sound_of(submission, number - 1, report.line.file_name),
            "key": key,
            "neighbours": neighbours,
            "query": query.query(),
            "list_query": query.query(**list_page),
            "chooser": chooser_of(
                query, explorer.systems, explorer.others, request.GET.get("find", "")
            ),
            "kept": query.listing,
            "beside": _beside(explorer, number - 1, key),
            "verdict": clip_verdict(report, submission.phase.ranking_metric),
            "groups": grouped(report.families, lambda family: family.name),
        },
    )
    return with_recordings(request, page, submission.phase)


def with_recordings(request: HttpRequest, page: HttpResponse, *phases: Phase) -> HttpResponse:
    """A page that may play the sound of clips: another server may have it."""
    stored = (phase.reference_set for phase in phases)
    servers = [origin_of(one.audio_base_url) for one in stored if one and one.audio_base_url]
    return allow_media_from(request, page, servers)


def _key(report: ClipReport, submission: AnySubmission) -> list[ClipMetric]:
    """Choose the metrics that stand first: the ranking metric, and what its board shows."""
    phase = submission.phase
    metrics = {metric.info.name: metric for family in report.families for metric in family.metrics}
    wanted = dict.fromkeys((phase.ranking_metric, *(phase.columns or USUAL_COLUMNS)))
    return [metrics[name] for name in wanted if name in metrics]


def _beside(
    explorer: Explorer, position: int, key: list[ClipMetric]
) -> list[tuple[dict[str, Any], str]]:
    """The caption of each system for the clip, with the query of that system's page."""
    systems = explorer.systems
    if len(systems) < 2:
        return []
    infos = [metric.info for metric in key]
    rows = beside_clips(systems, explorer.corpora, position, infos)
    everyone = replace(
        explorer.asked, listed=False, beside=tuple(system.public_id for system in systems)
    )
    return [(row, everyone.without(system=row["system"].public_id).query()) for row in rows]


def _explorer(request: HttpRequest, submission: AnySubmission, *, listed: bool) -> Explorer:
    choices = metrics_of_clips(submission)
    query = clip_list_query(request, submission, choices, listed=listed)
    others = access.comparable_submissions(request.user, submission)
    systems = (submission, *compared_systems(query.beside, others))
    try:
        corpora = corpora_of(systems)
    except CaptionsUnreadable as error:
        raise Http404 from error
    if corpora is None:
        raise Http404
    return Explorer(systems, corpora, others, choices, query)


def _scale(query: ClipListQuery, columns: tuple[MetricColumn, ...]) -> Scale | None:
    """The scale of the drawings: the metric's own where it ends, else up to the highest value."""
    shown = (c.values for c in columns if c.values is not None and c.comparable)
    finite = [known for values in shown if (known := values[np.isfinite(values)]).size]
    if query.metric is None or not finite:
        return None
    highest = max(float(known.max()) for known in finite)
    high = query.metric.high if query.metric.high <= 1 else highest
    return Scale(min(0.0, *(float(known.min()) for known in finite)), max(high, 1e-6))


def _neighbours(explorer: Explorer, position: int) -> tuple[dict[str, Any], ClipListQuery]:
    """The numbers of the clips before and after one, and its place ``at`` among ``of``.

    In the list that the reader came from, else in the file; and what leads on through that.
    """
    query = explorer.asked
    order = list(range(len(explorer.corpus)))
    if query.listed:
        findings = findings_of(evaluations_of(explorer.submission)) if query.filters else {}
        positions = explorer.positions(explorer.columns(), findings)
        query = replace(query, listed=position in positions)
        order = positions if query.listed else order
    at = order.index(position)
    return {
        "previous": order[at - 1] + 1 if at else None,
        "next": order[at + 1] + 1 if at + 1 < len(order) else None,
        "at": at + 1,
        "of": len(order),
    }, query


@require_safe
def audio(request: HttpRequest, reference_set: int, number: int) -> HttpResponseBase:
    """Send the recording of a clip, or say where it lies on the organisers' server."""
    user, position = request.user, number - 1
    if position < 0 or max(reference_set, position) > 2**31 - 1:
        raise Http404
    heard = isinstance(user, User) and any(
        may_hear(user, reference_set, position) for may_hear in audio_listeners
    )
    if not heard:
        access.audio_for(user, reference_set, position, timezone.now())
    recording = AudioFile.objects.filter(reference_set=reference_set, position=position).first()
    if recording is None:
        return _elsewhere(reference_set, position)
    return audio_response(request, recording, audio_path(recording.sha256))


def _elsewhere(reference_set: int, position: int) -> HttpResponse:
    stored = get_object_or_404(ReferenceSet.objects.defer("payload"), pk=reference_set)
    names = references_of(stored.content_hash).file_names
    if not stored.audio_base_url or position >= len(names):
        raise Http404
    name = quote(names[position].strip())
    response = HttpResponseRedirect(f"{stored.audio_base_url.rstrip('/')}/{name}")
    response["Cache-Control"] = "private, no-cache"
    response["Referrer-Policy"] = "no-referrer"
    return response
