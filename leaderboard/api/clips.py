"""A submission clip by clip, where the references of its phase are public."""

from ninja import P, QueryEx, Router

from leaderboard import access
from leaderboard.api.schemas.clips import (
    ClipChoice,
    ClipOut,
    ClipScore,
    ClipValue,
    ClipValues,
    ComparedSystemOut,
    ComparedValueOut,
)
from leaderboard.selectors.clips.audio import sound_of
from leaderboard.selectors.clips.corpus import (
    CaptionsUnreadable,
    ClipReport,
    Corpus,
    clip_report,
    clips_with_words,
    corpus_of,
    evaluations_of,
)
from leaderboard.selectors.clips.findings import clips_with, findings_of
from leaderboard.selectors.clips.side_by_side import ClipRow, clip_rows, corpora_of
from leaderboard.selectors.clips.sorting import MetricColumn, columns_of, gaps_of, ordered
from leaderboard.selectors.visibility.visible_submissions import AnySubmission, VisibleSubmission
from leaderboard.web.api_auth import ANYONE, PUBLIC, VisitorRequest
from leaderboard.web.api_errors import READ_ERRORS, ApiError, Faulty, Problem
from scoring.registry import METRICS

router = Router(tags=["Submissions"], auth=ANYONE)

UNREADABLE = "The stored file can no longer be read by this version of the scorer."


@router.get(
    "/submissions/{slug:public_id}/clips",
    response={200: ClipValues, **READ_ERRORS, 403: Problem, 422: Faulty},
    operation_id="submission_clips",
    summary="Read a metric's value for every clip",
    openapi_extra=PUBLIC,
)
def submission_clips(
    request: VisitorRequest, public_id: str, asked: QueryEx[ClipChoice, P()]
) -> ClipValues:
    """Give captions and one value per clip, where the references of the phase are public."""
    submission = access.clips_for(request.auth, public_id)
    if asked.metric not in METRICS:
        raise ApiError(404, f"There is no such metric. Choose from: {', '.join(METRICS)}.")
    info = METRICS[asked.metric]
    systems = (submission, *_beside(request, submission, asked.beside))
    columns = columns_of(systems, info.name)
    if columns[0].values is None:
        raise ApiError(404, f"{info.label} has no scores for this submission (yet).")
    corpora = _corpora(systems)
    order = _order(submission, corpora[0], columns, asked)
    wanted = order[asked.offset :][: asked.limit]
    gaps = gaps_of(columns, info, asked.sort)
    rows = clip_rows(corpora, columns, wanted, gaps=gaps)
    return ClipValues(
        metric=info.name,
        signature=columns[0].signature,
        total=len(order),
        beside=[_system(column) for column in columns[1:]],
        clips=[_row(row) for row in rows],
    )


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
        raise ApiError(404, "This phase has no such other submission.")
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
    try:
        corpora = corpora_of(systems)
    except CaptionsUnreadable as error:
        raise ApiError(404, UNREADABLE) from error
    if corpora is None:
        raise ApiError(404, "These submissions are not of the same clips.")
    return corpora


def _system(column: MetricColumn) -> ComparedSystemOut:
    return ComparedSystemOut(
        id=column.system.public_id,
        name=column.system.system_name,
        signature=column.signature,
        compared=column.comparable,
    )


def _row(row: ClipRow) -> ClipValue:
    line = row.line
    return ClipValue(
        number=line.number,
        file_name=line.file_name,
        caption=line.caption,
        references=list(line.references),
        value=line.value,
        difference=row.gap,
        beside=[
            ComparedValueOut(id=said.system.public_id, caption=said.caption, value=said.value)
            for said in row.said[1:]
        ],
    )


@router.get(
    "/submissions/{slug:public_id}/clips/{path:file_name}",
    response={200: ClipOut, **READ_ERRORS, 403: Problem},
    operation_id="submission_clip",
    summary="Read one clip with details",
    openapi_extra=PUBLIC,
)
def submission_clip(request: VisitorRequest, public_id: str, file_name: str) -> ClipOut:
    """Give one clip by its file name: captions, every metric's value, and why it is so."""
    submission = access.clips_for(request.auth, public_id)
    corpus = _corpus(submission)
    position = corpus.names.find(file_name)
    if position is None:
        raise ApiError(404, "The references have no clip of this name.")
    report = clip_report(submission, corpus, position)
    return _clip(report, sound_of(submission, position, report.line.file_name))


def _corpus(submission: AnySubmission) -> Corpus:
    try:
        return corpus_of(submission)
    except CaptionsUnreadable as error:
        raise ApiError(404, UNREADABLE) from error


def _clip(report: ClipReport, audio: str | None) -> ClipOut:
    line = report.line
    scores = {
        metric.info.name: ClipScore(
            value=metric.value, corpus=metric.corpus, signature=metric.signature
        )
        for family in report.families
        for metric in family.metrics
    }
    return ClipOut(
        number=line.number,
        clips=report.clips,
        file_name=line.file_name,
        audio=audio,
        caption=line.caption,
        references=list(line.references),
        metrics={name: scores[name] for name in METRICS if name in scores},
        details={
            family.name: dict(family.details)
            for family in report.families
            if family.details is not None
        },
        notes={family.name: family.note for family in report.families if family.note},
    )
