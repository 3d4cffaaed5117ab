"""A submission clip by clip, where the references of its phase are public."""

from typing import Literal

from ninja import P, QueryEx, Router

from leaderboard import access
from leaderboard.api.auth import ANYONE, PUBLIC, VisitorRequest
from leaderboard.api.errors import ApiError
from leaderboard.api.schemas.clips import ClipOut, ClipScore, ClipValue, ClipValues
from leaderboard.api.schemas.errors import READ_ERRORS, Faulty, Problem
from leaderboard.models import Submission
from leaderboard.selectors.clips import (
    CaptionsUnreadable,
    ClipReport,
    Corpus,
    clip_lines,
    clip_order,
    clip_report,
    clip_values,
    corpus_of,
)
from scoring.registry import METRICS

router = Router(tags=["Submissions"])

MOST_CLIPS = 1_000_000


@router.get(
    "/submissions/{slug:public_id}/clips",
    auth=ANYONE,
    response={200: ClipValues, **READ_ERRORS, 403: Problem, 422: Faulty},
    operation_id="submission_clips",
    summary="Read a metric's value for every clip",
    openapi_extra=PUBLIC,
)
def submission_clips(
    request: VisitorRequest,
    public_id: str,
    metric: QueryEx[str, P(description="Name of a metric, such as cider_d.")],
    sort: QueryEx[
        Literal["file", "worst", "best"],
        P(description="file: as in the references; clips without a value come last otherwise."),
    ] = "file",
    q: QueryEx[
        str, P(max_length=200, description="Words that name, caption or references must have.")
    ] = "",
    offset: QueryEx[int, P(ge=0, le=MOST_CLIPS, description="Clips to leave out first.")] = 0,
    limit: QueryEx[
        int | None, P(ge=1, le=MOST_CLIPS, description="Clips to give; all of them without.")
    ] = None,
) -> ClipValues:
    """Give captions and one value per clip, where the references of the phase are public."""
    submission = access.clips_for(request.auth, public_id)
    if metric not in METRICS:
        raise ApiError(404, f"There is no such metric. Choose from: {', '.join(METRICS)}.")
    found = clip_values(submission, metric)
    if found is None:
        raise ApiError(404, f"{METRICS[metric].label} has no scores for this submission (yet).")
    signature, values = found
    corpus = _corpus(submission)
    order = clip_order(
        corpus, values, order=sort, better=METRICS[metric].direction, words=q.replace("\0", " ")
    )
    wanted = order[offset:] if limit is None else order[offset : offset + limit]
    return ClipValues(
        metric=metric,
        signature=signature,
        total=len(order),
        clips=[
            ClipValue(
                number=line.number,
                file_name=line.file_name,
                caption=line.caption,
                references=list(line.references),
                value=line.value,
            )
            for line in clip_lines(corpus, values, wanted)
        ],
    )


@router.get(
    "/submissions/{slug:public_id}/clips/{path:file_name}",
    auth=ANYONE,
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
    return _clip(clip_report(submission, corpus, position))


def _corpus(submission: Submission) -> Corpus:
    try:
        return corpus_of(submission)
    except CaptionsUnreadable as error:
        raise ApiError(
            404, "The stored file can no longer be read by this version of the scorer."
        ) from error


def _clip(report: ClipReport) -> ClipOut:
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
