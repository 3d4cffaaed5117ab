"""How often the metrics of a phase agree with its judges."""

from datetime import datetime

from ninja import Schema
from pydantic import Field

from leaderboard.models import JudgmentSet, JudgmentsState
from leaderboard.selectors.analysis.human_judgments import MetricShares, Share
from leaderboard.selectors.analysis.phase_judgments import judged_metrics


class JudgedShareOut(Schema):
    """Pairs of one kind that a metric ordered as judges did; shares in per cent."""

    correct: int
    pairs: int
    undecided: int = Field(description="Pairs that it tied or gave no score; not correct.")
    percent: float
    low: float = Field(description="Lower end of the 95 % interval, found by clip.")
    high: float

    @classmethod
    def of(cls, share: Share) -> "JudgedShareOut":
        """Describe it."""
        return cls(
            correct=share.counts.correct,
            pairs=share.counts.pairs,
            undecided=share.counts.undecided,
            percent=round(share.value, 2),
            low=round(share.low, 2),
            high=round(share.high, 2),
        )


class JudgedMetricOut(Schema):
    """A metric by the kinds of pairs that there are: HC, HI, HM, MM and Total."""

    metric: str
    signature: str = Field(description="What it was computed with.")
    kinds: dict[str, JudgedShareOut]

    @classmethod
    def of(cls, row: MetricShares) -> "JudgedMetricOut":
        """Describe it."""
        shares = {share.kind: share for share in row.shares if share.counts.pairs}
        return cls(
            metric=row.info.name,
            signature=row.signature,
            kinds={kind: JudgedShareOut.of(share) for kind, share in shares.items()},
        )


class JudgedMetricsOut(Schema):
    """The metrics against the judges of one labelling project."""

    name: str = Field(description="Of the project.")
    state: JudgmentsState
    reason: str = Field(description="Why the metrics could not be measured, empty otherwise.")
    measured_at: datetime | None
    published_at: datetime | None
    pairs: int
    decided: int = Field(description="Pairs on which judges are not evenly split.")
    judges: int
    votes: int
    sha256: str = Field(description="Of the judgments that were measured on, empty before.")
    metrics: list[JudgedMetricOut]
    not_measured: dict[str, str] = Field(description="Why a metric is left out.")

    @classmethod
    def of(cls, row: JudgmentSet, *, organises: bool) -> "JudgedMetricsOut":
        """Describe it; only who ``organises`` the phase is told why something failed."""
        measured = judged_metrics(row)
        return cls(
            name=row.name,
            state=JudgmentsState(row.state),
            reason=row.reason if organises else "",
            measured_at=row.measured_at,
            published_at=row.published_at,
            pairs=measured.pairs if measured else 0,
            decided=measured.decided if measured else 0,
            judges=measured.judges if measured else 0,
            votes=measured.votes if measured else 0,
            sha256=measured.sha256 if measured else "",
            metrics=[JudgedMetricOut.of(one) for one in measured.rows] if measured else [],
            not_measured=dict(measured.unavailable) if measured else {},
        )
