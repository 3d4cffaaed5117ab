"""The metrics and what to know before looking at a number."""

from typing import Annotated, Any

from django.conf import settings
from django.http import HttpRequest
from ninja import Router, Schema
from ninja.decorators import decorate_view
from pydantic import BeforeValidator, Field

from earmark.benchmark_results import KINDS, measured, published_results
from earmark.registry import METRICS, Direction, MetricInfo
from earmark.tricks.captions import TRICKS
from earmark.tricks.false_sounds import measured_false_sounds
from earmark.tricks.measuring import measured_tricks
from leaderboard.api.schemas.analysis import Finite, TwoDecimals
from leaderboard.selectors.analysis.human_judgments import left_out, registry_shares
from leaderboard.services.playground.computing import (
    DOCUMENTS,
    RATE_GROUP,
    playground_compute,
    playground_labeller,
)
from leaderboard.services.playground.texts import (
    MOST_BYTES,
    MOST_CHARS,
    MOST_REFERENCES,
    MOST_WORDS,
    texts_read,
    too_long,
)
from leaderboard.web.api_auth import ANYONE, VisitorRequest
from leaderboard.web.api_errors import FaultOut, Problem, fault_rows
from leaderboard.web.body_limits import body_capped
from leaderboard.web.rate_limits import Rate


class MetricOut(Schema):
    """A metric of the registry."""

    name: str
    label: str
    family: str
    low: Finite = Field(description="Lowest value; null: unbounded.")
    high: Finite = Field(description="Highest value; null: unbounded.")
    direction: Direction = Field(description="Which values are better.")
    decimals: int = Field(description="Decimals that pages show.")
    summary: str
    source: str


class ShareOut(Schema):
    """Pairs of one kind that a metric ordered as people did; shares in per cent."""

    correct: int = Field(validation_alias="counts.correct")
    pairs: int = Field(validation_alias="counts.pairs")
    undecided: int = Field(
        validation_alias="counts.undecided",
        description="Pairs that it tied or gave no score; they are not correct.",
    )
    percent: TwoDecimals = Field(validation_alias="value")
    low: TwoDecimals = Field(description="Lower end of the 95 % interval, found by clip.")
    high: TwoDecimals
    published: float | None = Field(description="What its paper has, with its own models.")


class MetricAgreementOut(Schema):
    """A metric by kind of pair: HC, HI, HM, MM and Total."""

    metric: str = Field(validation_alias="info.name")
    signature: str = Field(description="What it was computed with.")
    validated: bool = Field(
        description="By nested cross-validation: its weights are learned from these pairs, and "
        "each pair was ordered by weights that saw no pair of its clip."
    )
    kinds: Annotated[
        dict[str, ShareOut], BeforeValidator(lambda shares: {share.kind: share for share in shares})
    ] = Field(validation_alias="shares")


SharesByKind = Annotated[
    dict[str, float | None],
    BeforeValidator(lambda found: {kind: found.get(kind) for kind in KINDS}),
]


class PublishedAgreementOut(Schema):
    """What a paper has, in per cent by kind of pair; null where it gives no number."""

    metric: Annotated[
        str | None, BeforeValidator(lambda name: name if name in METRICS else None)
    ] = Field(description="null: people, not a metric.")
    made_with: str = Field(description="Tells rows of one metric apart.")
    source: str = Field(description="Who found the numbers.")
    audiocaps: SharesByKind
    clotho: SharesByKind


class MetricUnderTricksOut(Schema):
    """A metric's corpus value of honest captions and of captions that help no listener more."""

    metric: str = Field(validation_alias="name")
    signature: str = Field(description="What it was computed with.")
    honest: float
    low: float = Field(description="Lower end of the 95 % interval of the honest value.")
    high: float
    values: dict[str, float] = Field(description="By trick.")
    raised_by: list[str] = Field(
        description="Tricks that are better than the whole interval, the worst first."
    )


class TricksOut(Schema):
    """What tricks gain by each metric, on the captions of one published system."""

    candidates: str
    references: str
    clips: int
    tricks: dict[str, str] = Field(description="What each trick does.")
    metrics: list[MetricUnderTricksOut]


class ChangesOut(Schema):
    """In how many cases the altered caption has a better value, and in how many a worse one."""

    better: int
    worse: int
    cases: int


class FalseSoundsOut(Schema):
    """What a sound that is not there, added to a caption, does to a metric."""

    metric: str = Field(validation_alias="name")
    signature: str = Field(description="What it was computed with.")
    human: ChangesOut = Field(description="With one reference of each clip against the others.")
    system: ChangesOut = Field(description="With the captions of the system of the tricks.")


class HumanAgreementOut(Schema):
    """How often each metric prefers the caption that people prefer."""

    benchmark: str
    sha256: str = Field(description="Of the file of judgments that was measured on.")
    metrics: list[MetricAgreementOut]
    not_measured: dict[str, str] = Field(description="Why a metric was left out.")
    published: list[PublishedAgreementOut]
    tricks: TricksOut
    false_sounds: list[FalseSoundsOut]


class TryIn(Schema):
    """One caption and what it is compared with."""

    caption: str = Field(
        description=f"At most {MOST_CHARS} characters and {MOST_WORDS} words.",
        examples=["A dog is barking"],
    )
    references: list[str] = Field(
        description=f"1 to {MOST_REFERENCES} captions of at most {MOST_CHARS} characters and "
        f"{MOST_WORDS} words; blank ones are left out.",
        examples=[["A dog barks twice", "A small dog barks outside"]],
    )


class TryScore(Schema):
    """A metric's value of the caption; null where it says nothing of it."""

    value: float | None
    signature: str = Field(description="Compare numbers only where signatures are equal.")


class TryOut(Schema):
    """Every metric of one caption and why it is so."""

    caption: str
    references: list[str]
    documents: str = Field(description="The corpus over which it is counted how rare a word is.")
    metrics: dict[str, TryScore]
    details: dict[str, dict[str, Any]] = Field(
        description="What each metric family found; its shape is the family's own."
    )
    unavailable: dict[str, str] = Field(
        description="Why a metric family could not be computed; the others stand."
    )
    warnings: list[FaultOut] = Field(description="What may surprise in the texts.")


router = Router(tags=["For everyone"], auth=ANYONE)
try_rate = Rate(RATE_GROUP, settings.TRY_RATE)


@router.get(
    "/metrics",
    response={200: list[MetricOut]},
    operation_id="metrics",
    summary="List the metrics",
)
def metric_list(request: HttpRequest) -> list[MetricInfo]:
    """Every metric in the order used everywhere."""
    return list(METRICS.values())


@router.get(
    "/metrics/agreement",
    response={200: HumanAgreementOut},
    operation_id="metrics_agreement",
    summary="Read how often metrics agree with people",
)
def metrics_agreement(request: HttpRequest) -> dict[str, Any]:
    """The share of pairs that each metric orders as people did, and what altered captions gain."""
    tricks = measured_tricks()
    return {
        "benchmark": "AudioCaps-Eval",
        "sha256": measured().sha256,
        "metrics": registry_shares(),
        "not_measured": left_out(),
        "published": published_results(),
        "tricks": {
            "candidates": tricks.candidates,
            "references": tricks.references,
            "clips": tricks.clips,
            "tricks": {trick.name: trick.about for trick in TRICKS},
            "metrics": list(tricks.metrics.values()),
        },
        "false_sounds": list(measured_false_sounds().metrics.values()),
    }


@router.post(
    "/metrics/try",
    throttle=try_rate,
    response={200: TryOut, 503: Problem},
    operation_id="metrics_try",
    summary="Try the metrics on a caption",
)
@decorate_view(body_capped(lambda: MOST_BYTES, too_long))
def metrics_try(request: VisitorRequest, texts: TryIn) -> dict[str, Any]:
    """Compute every metric of one caption against its references; nothing is stored."""
    read, warnings = texts_read(caption=texts.caption, references=texts.references)
    report = playground_compute(read, playground_labeller())
    return {
        "caption": report.texts.caption,
        "references": report.texts.references,
        "documents": DOCUMENTS,
        "metrics": report.metrics,
        "details": {row.name: row.details for row in report.families if row.details is not None},
        "unavailable": {row.name: row.note for row in report.families if row.note},
        "warnings": fault_rows(warnings),
    }
