"""A submission clip by clip, where the references of its phase are public."""

from dataclasses import asdict
from operator import itemgetter
from typing import Annotated, Any, Literal

from ninja import P, QueryEx, Router, Schema
from pydantic import BeforeValidator, Field

from earmark.metrics.facets import WRITTEN
from earmark.registry import METRICS
from leaderboard import access
from leaderboard.selectors.clips.audio import sound_of
from leaderboard.selectors.clips.corpus import (
    Corpus,
    clip_report,
    clips_with_words,
    corpus_of,
    evaluations_of,
)
from leaderboard.selectors.clips.findings import ClipFilter, clips_with, findings_of
from leaderboard.selectors.clips.side_by_side import (
    MetricColumn,
    clip_rows,
    columns_of,
    corpora_of,
    gaps_of,
    ordered,
)
from leaderboard.selectors.visibility.visible_submissions import AnySubmission, VisibleSubmission
from leaderboard.web.api_auth import ANYONE, VisitorRequest
from leaderboard.web.refusals import Refused

MOST_CLIPS = 1_000_000
MOST_BESIDE = 5
Side = Literal["named", "found", "left_out", "imagined"]


class ClipChoice(Schema):
    """Which clips to give, and beside which systems, as the query of an address."""

    metric: str = Field(description="Name of a metric, such as cider_d.")
    sort: Literal["file", "worst", "best", "ahead", "behind", "spread"] = Field(
        "file",
        description="file: as in the references. ahead and behind: by how much better or worse "
        "the submission is than the first one of `with`. spread: best minus worst of all. Where "
        "signatures differ there is nothing to compare, and the order is that of the references. "
        "Clips without a value come last in all but file.",
    )
    q: str = Field(
        "", max_length=200, description="Words that name, caption or references must have."
    )
    beside: list[str] = Field(
        [],
        alias="with",
        max_length=MOST_BESIDE,
        description="Submissions of the same phase to give beside this one.",
    )
    event: str = Field(
        "", max_length=200, description="Only clips with this sound event, as CB-score finds them."
    )
    event_mode: Side = Field(
        "named",
        description="named by the references; found by the submission as well; left_out by it; "
        "imagined: named by the submission alone.",
    )
    error: str = Field(
        "",
        max_length=200,
        description="Only clips whose caption has this fluency error; any, or none of them.",
    )
    label: str = Field(
        "", max_length=200, description="Only clips with this descriptor, as ACES labels words."
    )
    label_mode: Side = Field("named", description="As event_mode.")
    tag: str = Field(
        "", max_length=200, description="Only clips with this AudioSet class, as SBF finds them."
    )
    tag_mode: Literal["left_out", "imagined"] = Field(
        "left_out", description="left_out: a miss; imagined: a false alarm."
    )
    offset: int = Field(0, ge=0, le=MOST_CLIPS, description="Clips to leave out first.")
    limit: int | None = Field(
        None, ge=1, le=MOST_CLIPS, description="Clips to give; all of them without."
    )

    @property
    def filters(self) -> list[ClipFilter]:
        """What the details of the clips must say."""
        filters = (
            ClipFilter("event", self.event_mode, self.event),
            ClipFilter("error", WRITTEN, self.error),
            ClipFilter("label", self.label_mode, self.label),
            ClipFilter("tag", self.tag_mode, self.tag),
        )
        return [one for one in filters if one.name]


class ComparedSystemOut(Schema):
    """A submission beside the one asked for."""

    id: str = Field(validation_alias="system.public_id")
    name: str = Field(validation_alias="system.system_name")
    signature: str = Field(description="Empty where the metric has no scores for it.")
    compared: bool = Field(
        validation_alias="comparable",
        description="Whether its values were computed in the same way.",
    )


class ComparedValueOut(Schema):
    """What another submission says of a clip; null where its value is not compared."""

    id: str = Field(validation_alias="system.public_id")
    caption: str
    value: float | None


class ClipValue(Schema):
    """One clip with a metric's value; null where the metric says nothing."""

    number: int = Field(
        validation_alias="line.number", description="Place in the references, from 1."
    )
    file_name: str = Field(validation_alias="line.file_name")
    caption: str = Field(validation_alias="line.caption")
    references: list[str] = Field(validation_alias="line.references")
    value: float | None = Field(validation_alias="line.value")
    difference: float | None = Field(
        validation_alias="gap",
        description="What ahead, behind and spread sort by; null in other orders.",
    )
    # The first is the submission itself.
    beside: Annotated[list[ComparedValueOut], BeforeValidator(itemgetter(slice(1, None)))] = Field(
        validation_alias="captions", description="In the order of `with`."
    )


class ClipValues(Schema):
    """One metric of the clips asked for."""

    metric: str
    signature: str
    total: int = Field(description="Clips that were found, of which these are some.")
    beside: list[ComparedSystemOut]
    clips: list[ClipValue]


class ClipScore(Schema):
    """A metric's value for one clip, beside that for the corpus."""

    value: float | None
    corpus: float | None
    signature: str = Field(description="Compare numbers only where signatures are equal.")


class ClipOut(Schema):
    """One clip with every metric's value and why it is so."""

    number: int = Field(description="Place in the references, from 1.")
    clips: int
    file_name: str
    audio: str | None = Field(description="Address of the recording on this site; null: none.")
    caption: str
    references: list[str]
    metrics: dict[str, ClipScore]
    details: dict[str, dict[str, Any]] = Field(
        description="What each metric family found; its shape is the family's own."
    )
    notes: dict[str, str] = Field(description="Why a metric family has no details (yet).")


router = Router(tags=["For everyone"], auth=ANYONE)


@router.get(
    "/submissions/{slug:public_id}/clips",
    response={200: ClipValues},
    operation_id="submission_clips",
    summary="Read a metric's value for every clip",
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
    corpora = corpora_of(systems)
    if corpora is None:
        raise Refused("These submissions are not of the same clips.", status=404)
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
    submission: AnySubmission, corpus: Corpus, columns: tuple[MetricColumn, ...], choice: ClipChoice
) -> list[int]:
    """Choose and sort clips; without something to compare with, as in the references."""
    wanted = clips_with_words(corpus, choice.q.replace("\0", " "))
    if choice.filters:
        findings = findings_of(evaluations_of(submission))
        wanted &= clips_with(findings, choice.filters, len(corpus))
    return ordered(wanted, columns, METRICS[choice.metric], choice.sort)


@router.get(
    "/submissions/{slug:public_id}/clips/{path:file_name}",
    response={200: ClipOut},
    operation_id="submission_clip",
    summary="Read one clip with details",
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
    metrics = {metric.info.name: metric for family in report.families for metric in family.metrics}
    return {
        **asdict(line),
        "clips": report.clips,
        "audio": sound_of(submission, position, line.file_name),
        "metrics": {name: metrics[name] for name in METRICS if name in metrics},
        "details": {row.name: row.details for row in report.families if row.details is not None},
        "notes": {row.name: row.note for row in report.families if row.note},
    }
