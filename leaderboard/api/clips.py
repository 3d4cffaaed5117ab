"""A submission clip by clip, where the references of its phase are public."""

from dataclasses import asdict
from typing import Any

from ninja import P, QueryEx, Router

from leaderboard import access
from leaderboard.api.schemas.clips import ClipChoice, ClipOut, ClipValues
from leaderboard.selectors.clips.audio import sound_of
from leaderboard.selectors.clips.corpus import (
    Corpus,
    clip_report,
    clips_with_words,
    corpus_of,
    evaluations_of,
)
from leaderboard.selectors.clips.findings import clips_with, findings_of
from leaderboard.selectors.clips.side_by_side import clip_rows, corpora_of
from leaderboard.selectors.clips.sorting import MetricColumn, columns_of, gaps_of, ordered
from leaderboard.selectors.visibility.visible_submissions import AnySubmission, VisibleSubmission
from leaderboard.web.api_auth import ANYONE, PUBLIC, VisitorRequest
from leaderboard.web.refusals import Refused
from scoring.registry import METRICS

router = Router(tags=["For everyone"], auth=ANYONE)


@router.get(
    "/submissions/{slug:public_id}/clips",
    response={200: ClipValues},
    operation_id="submission_clips",
    summary="Read a metric's value for every clip",
    openapi_extra=PUBLIC,
)
def submission_clips(
    request: VisitorRequest, public_id: str, asked: QueryEx[ClipChoice, P()]
) -> dict[str, Any]:
    """Captions and one value per clip, where the references of the phase are public."""
    submission = access.clips_for(request.auth, public_id)
    if asked.metric not in METRICS:
        raise Refused(f"There is no such metric. Choose from: {', '.join(METRICS)}.", status=404)
    info = METRICS[asked.metric]
    systems = (submission, *_beside(request, submission, asked.beside))
    columns = columns_of(systems, info.name)
    if columns[0].values is None:
        raise Refused(f"{info.label} has no scores for this submission (yet).", status=404)
    corpora = _corpora(systems)
    order = _order(submission, corpora[0], columns, asked)
    wanted = order[asked.offset :][: asked.limit]
    gaps = gaps_of(columns, info, asked.sort)
    return {
        "metric": info.name,
        "signature": columns[0].signature,
        "total": len(order),
        "beside": columns[1:],
        "clips": clip_rows(corpora, columns, wanted, gaps=gaps),
    }


def _beside(
    request: VisitorRequest, submission: AnySubmission, wanted: list[str]
) -> list[VisibleSubmission]:
    """Choose other submissions of the phase; what may not be seen does not exist."""
    if not wanted:
        return []
    others = {
        other.public_id: other for other in access.comparable_submissions(request.auth, submission)
    }
    if any(public_id not in others for public_id in wanted):
        raise Refused("This phase has no such other submission.", status=404)
    return [others[public_id] for public_id in dict.fromkeys(wanted)]


def _order(
    submission: AnySubmission, corpus: Corpus, columns: tuple[MetricColumn, ...], asked: ClipChoice
) -> list[int]:
    """Choose and sort clips; without something to compare with, as in the references."""
    wanted = clips_with_words(corpus, asked.q.replace("\0", " "))
    if asked.filters:
        findings = findings_of(evaluations_of(submission))
        wanted &= clips_with(findings, asked.filters, len(corpus))
    return ordered(wanted, columns, METRICS[asked.metric], asked.sort)


def _corpora(systems: tuple[AnySubmission, ...]) -> tuple[Corpus, ...]:
    corpora = corpora_of(systems)
    if corpora is None:
        raise Refused("These submissions are not of the same clips.", status=404)
    return corpora


@router.get(
    "/submissions/{slug:public_id}/clips/{path:file_name}",
    response={200: ClipOut},
    operation_id="submission_clip",
    summary="Read one clip with details",
    openapi_extra=PUBLIC,
)
def submission_clip(request: VisitorRequest, public_id: str, file_name: str) -> dict[str, Any]:
    """One clip by its file name: captions, every metric's value, and why it is so."""
    submission = access.clips_for(request.auth, public_id)
    corpus = corpus_of(submission)
    position = corpus.names.find(file_name)
    if position is None:
        raise Refused("The references have no clip of this name.", status=404)
    report = clip_report(submission, corpus, position)
    line = report.line
    found = {metric.info.name: metric for family in report.families for metric in family.metrics}
    return {
        **asdict(line),
        "clips": report.clips,
        "audio": sound_of(submission, position, line.file_name),
        "metrics": {name: found[name] for name in METRICS if name in found},
        "details": {row.name: row.details for row in report.families if row.details is not None},
        "notes": {row.name: row.note for row in report.families if row.note},
    }
