"""What a dry run would change: ranks, values and signatures, before and after."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from earmark.registry import MetricInfo, metric, metrics_of
from leaderboard.models import Kind, MetricResult, Phase, Submission
from leaderboard.selectors.evaluations.metric_value import MetricValue
from leaderboard.selectors.organising.rescoring import Targets
from leaderboard.selectors.ranking.ranking import rank_lines, ranking_of
from leaderboard.selectors.visibility.ranked_row import RankedRow


@dataclass(frozen=True, slots=True)
class RescoringSide:
    """A system before or after: its rank among all, its value, under which signature."""

    rank: int | None
    value: float | None
    signature: str


@dataclass(frozen=True, slots=True)
class RankChange:
    """What becomes of a system; ``competes`` is False for baselines and the human row."""

    public_id: str
    system: str
    team: str
    competes: bool
    before: RescoringSide
    after: RescoringSide
    counts_before: bool
    counts_after: bool

    @property
    def places(self) -> int:
        """How many places it rises (negative: falls)."""
        if self.before.rank is None or self.after.rank is None:
            return 0
        return self.before.rank - self.after.rank

    @property
    def signatures(self) -> tuple[str, str]:
        """Under which signature the value was computed before, and under which after."""
        return self.before.signature, self.after.signature

    @property
    def moves(self) -> bool:
        """Whether its rank changes, or which system counts for its team."""
        return self.before.rank != self.after.rank or self.counts_before != self.counts_after


@dataclass(frozen=True, slots=True)
class RescoringDiff:
    """All changes, in the order of the ranking after; ``info`` is the metric of the values.

    ``info_before`` is another where the dry run makes a new metric rank.
    """

    info: MetricInfo
    info_before: MetricInfo
    rows: tuple[RankChange, ...]

    @property
    def moving(self) -> int:
        """Number of systems whose rank changes."""
        return sum(row.moves for row in self.rows)

    @property
    def competing(self) -> int:
        """Number of systems that can have a rank."""
        return sum(row.competes for row in self.rows)

    @property
    def usual_signatures(self) -> tuple[str, str]:
        """The signatures before and after of most rows, which need not be said of each."""
        counts = Counter(row.signatures for row in self.rows)
        return max(counts, key=counts.__getitem__, default=("", ""))

    @property
    def other_signatures(self) -> bool:
        """Whether some row has other signatures."""
        return any(row.signatures != self.usual_signatures for row in self.rows)

    @property
    def leader_changes(self) -> bool:
        """Whether another system stands first."""
        first_before = {row.public_id for row in self.rows if row.before.rank == 1}
        return first_before != {row.public_id for row in self.rows if row.after.rank == 1}


def metrics_in(after: Phase, targets: Targets) -> list[MetricInfo]:
    """List the metrics that a dry run computes, the one that will decide first."""
    infos = (info for name in targets.families for info in metrics_of(name))
    metrics = [after.as_computed(info) for info in infos if not info.several]
    return sorted(metrics, key=lambda info: info.name != after.ranking_metric)


def diff_of(phase: Phase, after: Phase, targets: Targets, info: MetricInfo) -> RescoringDiff:
    """Compare what is published with a dry run: ranks by the deciding metric, values of one.

    ``after`` is the phase as it will rank (``phase_after``).
    """
    before = {line.key: line for line in ranking_of(phase, every_system=True).rows}
    changed = {line.key: line for line in _after(after, targets, before.values())}
    counting = _counting(phase, before.values()), _counting(after, changed.values())
    decides = info.name == after.ranking_metric
    info_before = phase.ranking if decides else phase.as_computed(metric(info.name))
    values = _values(phase, None, info_before.name), _values(phase, targets, info.name)
    rows = [
        RankChange(
            public_id=line.public_id,
            system=line.system_name,
            team=line.team_name,
            competes=True,
            before=_side(before[key].rank, values[0].get(key)),
            after=_side(line.rank, values[1].get(key)),
            counts_before=key in counting[0],
            counts_after=key in counting[1],
        )
        for key, line in changed.items()
    ]
    return RescoringDiff(info, info_before, (*rows, *_beside(phase, values)))


def _after(phase: Phase, targets: Targets, lines: Iterable[RankedRow]) -> tuple[RankedRow, ...]:
    """Rank the lines with the values of the dry run, where it computes the metric that decides."""
    if phase.ranking.family not in targets.families:
        return tuple(lines)
    rows = MetricResult.objects.filter(
        evaluation__in=targets.eligible, metric=phase.ranking_metric
    ).values_list("submission_id", "value", "low", "high", "pk")
    values = {row[0]: MetricValue(phase.ranking_metric, *row[1:]) for row in rows}
    changed = [line._replace(ranking_value=values.get(line.key)) for line in lines]
    return rank_lines(phase, changed, every_system=True)


def _counting(phase: Phase, lines: Iterable[RankedRow]) -> set[int]:
    return {line.key for line in rank_lines(phase, lines, every_system=False)}


_Values = dict[int, tuple[float | None, str]]


def _values(phase: Phase, targets: Targets | None, metric: str) -> _Values:
    rows = MetricResult.objects.filter(submission__phase=phase, metric=metric)
    if targets is None:
        rows = rows.filter(evaluation__published=True)
    else:
        rows = rows.filter(evaluation__in=targets.eligible)
    return {
        key: (value, signature)
        for key, value, signature in rows.values_list("submission_id", "value", "signature")
    }


def _side(rank: int | None, cell: tuple[float | None, str] | None) -> RescoringSide:
    value, signature = cell or (None, "")
    return RescoringSide(rank, value, signature)


def _beside(phase: Phase, values: tuple[_Values, _Values]) -> list[RankChange]:
    rows = Submission.objects.unranked().filter(phase=phase).select_related("team").order_by("pk")
    return [
        RankChange(
            public_id=row.public_id,
            system=row.system_name,
            team=row.team.name if row.kind == Kind.BASELINE else "",
            competes=False,
            before=_side(None, values[0].get(row.pk)),
            after=_side(None, values[1].get(row.pk)),
            counts_before=False,
            counts_after=False,
        )
        for row in rows.only("public_id", "system_name", "kind", "team__name")
    ]
