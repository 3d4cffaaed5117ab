"""Metrics tried on a caption, and their agreement with human judgments, as the API gives them."""

from typing import Any

from ninja import Schema
from pydantic import Field

from leaderboard.selectors.analysis.human_judgments import (
    MetricShares,
    PublishedShares,
    Share,
    published_shares,
    registry_shares,
)
from leaderboard.services.playground.texts import MOST_CHARS, MOST_REFERENCES, MOST_WORDS
from leaderboard.web.api_errors import FaultOut
from scoring.benchmark import LEFT_OUT
from scoring.benchmark_results import KINDS, measured


class ShareOut(Schema):
    """Pairs of one kind that a metric ordered as people did; shares in per cent."""

    correct: int
    pairs: int
    undecided: int = Field(description="Pairs that it tied or gave no score; they are not correct.")
    percent: float
    low: float = Field(description="Lower end of Wilson's 95 % interval.")
    high: float
    published: float | None = Field(description="What its paper has, with its own models.")

    @classmethod
    def of(cls, share: Share) -> "ShareOut":
        """Describe a share."""
        counts = share.counts
        return cls(
            correct=counts.correct,
            pairs=counts.pairs,
            undecided=counts.undecided,
            percent=round(share.value, 2),
            low=round(share.low, 2),
            high=round(share.high, 2),
            published=share.published,
        )


class MetricAgreementOut(Schema):
    """A metric by kind of pair: HC, HI, HM, MM and Total."""

    metric: str
    signature: str = Field(description="What it was computed with.")
    kinds: dict[str, ShareOut]

    @classmethod
    def of(cls, row: MetricShares) -> "MetricAgreementOut":
        """Describe a metric."""
        kinds = {share.kind: ShareOut.of(share) for share in row.shares}
        return cls(metric=row.info.name, signature=row.signature, kinds=kinds)


class PublishedAgreementOut(Schema):
    """What a paper has, in per cent by kind of pair; null where it gives no number."""

    metric: str | None = Field(description="null: people, not a metric.")
    made_with: str = Field(description="Tells rows of one metric apart.")
    audiocaps: dict[str, float | None]
    clotho: dict[str, float | None]

    @classmethod
    def of(cls, row: PublishedShares) -> "PublishedAgreementOut":
        """Describe a row."""
        return cls(
            metric=row.info.name if row.info else None,
            made_with=row.made_with,
            audiocaps=dict(zip(KINDS, row.audiocaps, strict=True)),
            clotho=dict(zip(KINDS, row.clotho, strict=True)),
        )


class HumanAgreementOut(Schema):
    """How often each metric prefers the caption that people prefer."""

    benchmark: str
    sha256: str = Field(description="Of the file of judgments that was measured on.")
    metrics: list[MetricAgreementOut]
    not_measured: dict[str, str] = Field(description="Why a metric was left out.")
    published: list[PublishedAgreementOut]

    @classmethod
    def now(cls) -> "HumanAgreementOut":
        """Describe what is kept."""
        return cls(
            benchmark="AudioCaps-Eval",
            sha256=measured().sha256,
            metrics=[MetricAgreementOut.of(row) for row in registry_shares()],
            not_measured=LEFT_OUT,
            published=[PublishedAgreementOut.of(row) for row in published_shares()],
        )


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
