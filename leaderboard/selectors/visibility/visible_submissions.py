"""Submissions as a reader sees them: with the names they may know, and as they were frozen.

Every selector that hands out submissions for others' eyes passes them through here. A frozen
ranking is that of the snapshot taken then, which never changes: it is read once per process.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from operator import attrgetter
from pathlib import PurePath
from typing import Any, TypeAlias

from django.db.models import Q, QuerySet

from earmark.registry import METRICS
from earmark.signature import with_revision
from leaderboard.models import (
    Evaluation,
    EvaluationState,
    Kind,
    MetricResult,
    Phase,
    RankSnapshot,
    ReferenceSet,
    SnapshotReason,
    StoredFile,
    Submission,
    User,
)
from leaderboard.models.submission import eligible
from leaderboard.selectors.evaluations.metric_value import MetricValue
from leaderboard.selectors.evaluations.progress import (
    FamilyProgress,
    Progress,
    progress_from,
    progress_of,
)
from leaderboard.selectors.visibility.ranked_row import RankedRow
from leaderboard.selectors.visibility.visibility import (
    Visibility,
    VisibleTeam,
    blind_team,
    system_alias,
)

UNFINISHED = "Not scored yet when the ranking was frozen."


@dataclass(frozen=True, slots=True)
class FrozenRanking:
    """A frozen ranking: what stood, by key, in the order of the ranking of every system.

    ``rank`` of a row is that among the teams. ``estimates`` are those of ``RankEstimates``
    for "teams" and "all", where they were known.
    """

    systems: Mapping[int, RankedRow] = field(default_factory=dict)
    estimates: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def frozen_ranking(phase: int, until: datetime) -> FrozenRanking:
    """The ranking of a phase (by key) that was frozen at a moment.

    Where there is none, nothing stood.
    """
    key = (
        RankSnapshot.objects.filter(phase=phase, reason=SnapshotReason.FREEZE, taken_at=until)
        .order_by("-pk")
        .values_list("pk", "sha256")
        .first()
    )
    return FrozenRanking() if key is None else _read(*key)


@lru_cache(maxsize=4)
def _read(pk: int, _sha256: str) -> FrozenRanking:
    content = RankSnapshot.objects.values_list("content", flat=True).get(pk=pk)
    return FrozenRanking({row.key: row for row in rows_in(content)}, content["estimates"])


def rows_in(content: Mapping[str, Any]) -> Iterator[RankedRow]:
    """Rows of a snapshot (``ranking.snapshots``), in its order.

    Signatures are written as today, whatever the snapshot has: the record itself stays as
    it was taken, since its digest stands in the audit log.
    """
    metric = content["ranking_metric"]
    signatures = tuple(map(with_revision, content["signatures"]))
    for row in content["systems"]:
        values = {
            name: MetricValue(
                name,
                value,
                *_within_range(name, low, high),
                coverage=coverage,
                clips=clips,
                signature=signatures[at],
            )
            for name, (value, low, high, coverage, clips, at) in row["values"].items()
        }
        yield RankedRow(
            key=row["key"],
            public_id=row["id"],
            kind=Kind(row["kind"]),
            team=row["team_key"],
            team_slug=row["team"],
            team_name=row["team_name"],
            system_name=row["system_name"],
            submitted_at=datetime.fromisoformat(row["submitted_at"]),
            chosen=row["chosen"],
            ranking_value=values.get(metric),
            rank=row["rank"],
            counts=row["counts"],
            rank_of_all=row["rank_of_all"],
            values=values,
            evaluations=frozenset(
                key for key, _, state, *_ in row["families"] if state == EvaluationState.DONE
            ),
            progress=progress_from(_family(*family) for family in row["families"]),
        )


def _within_range(
    metric: str, low: float | None, high: float | None
) -> tuple[float | None, float | None]:
    """Ends of an interval; those of early snapshots may lie outside the range of the metric."""
    info = METRICS.get(metric)
    if info is None or low is None or high is None:
        return low, high
    return max(low, info.low), min(high, info.high)


def _family(_key: int, family: str, state: str, reason: str, clips: int) -> FamilyProgress:
    """The progress of a family when the ranking was frozen; what was under way counts as failed."""
    if state == EvaluationState.DONE:
        return FamilyProgress(family, EvaluationState.DONE, clips, clips, reason, 1)
    reason = reason if state == EvaluationState.FAILED else UNFINISHED
    return FamilyProgress(family, EvaluationState.FAILED, 0, clips, reason, 1)


@dataclass(frozen=True)
class _AsSeen:
    """A stored submission and how a reader sees it."""

    _stored: Submission
    blind: bool = field(default=False, compare=False)
    frozen: RankedRow | None = field(default=None, compare=False)


def _as_stored(name: str) -> Any:
    """An attribute that every reader may know."""
    return property(attrgetter(f"_stored.{name}"))


def _unless_blind(name: str, empty: Callable[[], Any]) -> Any:
    """An attribute that tells of the team: empty where it is hidden who is behind the system."""
    read = attrgetter(f"_stored.{name}")
    return property(lambda one: empty() if one.blind else read(one))


def _as_frozen(name: str) -> Any:
    """An attribute that stands in a frozen ranking as it was then."""
    read = attrgetter(f"_stored.{name}")
    return property(lambda one: read(one) if one.frozen is None else getattr(one.frozen, name))


class VisibleSubmission(_AsSeen):
    """What one reader may know of a submission; it reads like one and cannot be saved.

    ``blind``: who is behind it is hidden, and all that its team says of it. ``frozen`` is the
    row with which it stands in a frozen ranking; None where it is shown live.
    """

    pk: int = _as_stored("pk")
    public_id: str = _as_stored("public_id")
    phase: Phase = _as_stored("phase")
    phase_id: int = _as_stored("phase_id")
    # No page shows it where names are hidden.
    team_id: int = _as_stored("team_id")
    created_at: datetime = _as_stored("created_at")
    file: StoredFile = _as_stored("file")
    file_id: str = _as_stored("file_id")
    reference_set: ReferenceSet | None = _as_stored("reference_set")
    other_references: ReferenceSet | None = _as_stored("other_references")
    other_references_id: int | None = _as_stored("other_references_id")

    submitted_by: User | None = _unless_blind("submitted_by", lambda: None)
    description: str = _unless_blind("description", str)
    label: str = _unless_blind("label", str)
    metadata: dict[str, Any] = _unless_blind("metadata", dict)
    warnings: list[Any] = _unless_blind("warnings", list)
    report: StoredFile | None = _unless_blind("report", lambda: None)
    report_id: str | None = _unless_blind("report_id", lambda: None)
    report_name: str = _unless_blind("report_name", str)

    kind: str = _as_frozen("kind")
    chosen: bool = _as_frozen("chosen")

    @property
    def team(self) -> VisibleTeam:
        """Team under the name that the reader may know."""
        if self.blind:
            return blind_team(self.phase_id, self.team_id)
        team = self._stored.team
        name = team.name if self.frozen is None else self.frozen.team_name
        return VisibleTeam(team.pk, name, team.slug, team.affiliation)

    @property
    def system_name(self) -> str:
        """Name of the system that the reader may know."""
        if self.blind:
            return system_alias(self.phase_id, self.pk)
        return self._stored.system_name if self.frozen is None else self.frozen.system_name

    def get_kind_display(self) -> str:
        """What wrote the captions, in a word."""
        return Kind(self.kind).label

    @property
    def file_name(self) -> str:
        """Name of the file; its ending, which says how it is read, where names are hidden."""
        name = self._stored.file_name
        return f"captions{PurePath(name).suffix}" if self.blind else name

    @property
    def withdrawn_at(self) -> datetime | None:
        """When its team withdrew it; what stands in a frozen ranking stood then."""
        return self._stored.withdrawn_at if self.frozen is None else None

    @property
    def disqualified_at(self) -> datetime | None:
        """When organisers disqualified it; what stands in a frozen ranking stood then."""
        return self._stored.disqualified_at if self.frozen is None else None

    @property
    def disqualified_for(self) -> str:
        """Why organisers disqualified it."""
        return "" if self.blind or self.frozen is not None else self._stored.disqualified_for

    @property
    def is_eligible(self) -> bool:
        """Whether it was neither withdrawn nor disqualified."""
        return self.withdrawn_at is None and self.disqualified_at is None

    @property
    def competes(self) -> bool:
        """Whether it can be ranked."""
        return self.kind == Kind.SYSTEM and self.is_eligible


# Selectors take a stored submission, which they show in full, or what a reader may see of one.
AnySubmission: TypeAlias = Submission | VisibleSubmission


def visible_to(submission: Submission, view: Visibility) -> VisibleSubmission | None:
    """What ``view`` shows of a submission, None where it shows nothing.

    A team sees its own as they are.
    """
    if view.until is None or submission.team_id in view.own:
        return _visible(submission, view, None)
    row = frozen_ranking(submission.phase_id, view.until).systems.get(submission.pk)
    return None if row is None else _visible(submission, view, row)


def all_visible(submissions: Iterable[Submission], view: Visibility) -> list[VisibleSubmission]:
    """What everyone with this view sees of several submissions, all of one phase."""
    rows = list(submissions)
    if view.until is None or not rows:
        return [_visible(one, view, None) for one in rows]
    frozen = frozen_ranking(rows[0].phase_id, view.until).systems
    return [_visible(one, view, frozen[one.pk]) for one in rows if one.pk in frozen]


def _visible(
    submission: Submission, view: Visibility, frozen: RankedRow | None
) -> VisibleSubmission:
    """Hide names where they are hidden; what people wrote belongs to no team and keeps its name."""
    kind = submission.kind if frozen is None else frozen.kind
    blind = kind != Kind.HUMAN and not view.knows(submission.team_id)
    return VisibleSubmission(submission, blind=blind, frozen=frozen)


def ranked_in(phase: int, view: Visibility) -> Q:
    """Condition for the submissions of a phase (by key) that stand in what ``view`` shows."""
    if view.until is None:
        return Q(phase=phase) & eligible()
    return Q(phase=phase, pk__in=list(frozen_of(phase, view).systems))


def frozen_of(phase: int, view: Visibility) -> FrozenRanking:
    """Frozen ranking that ``view`` shows; nothing stands in it where it is live."""
    return FrozenRanking() if view.until is None else frozen_ranking(phase, view.until)


def frozen_row(submission: AnySubmission) -> RankedRow | None:
    """Row with which a submission stands in a frozen ranking; None where it is shown live."""
    return submission.frozen if isinstance(submission, VisibleSubmission) else None


def visible_progress(submission: AnySubmission) -> Progress:
    """How far the scoring is, or was when the ranking was frozen."""
    row = frozen_row(submission)
    if row is None:
        return progress_of(visible_evaluations(submission).defer("detail"))
    return row.progress


def visible_evaluations(*submissions: AnySubmission) -> QuerySet[Evaluation]:
    """Evaluations that submissions are shown with: those published, or those of then."""
    return Evaluation.objects.filter(_shown_with(submissions, "pk", "submission", "published"))


def visible_results(*submissions: AnySubmission) -> QuerySet[MetricResult]:
    """Results of these evaluations."""
    wanted = _shown_with(submissions, "evaluation", "submission", "evaluation__published")
    return MetricResult.objects.filter(wanted)


def _shown_with(
    submissions: Iterable[AnySubmission], key: str, submission: str, published: str
) -> Q:
    live, frozen = [], set[int]()
    for one in submissions:
        row = frozen_row(one)
        if row is None:
            live.append(one.pk)
        else:
            frozen |= row.evaluations
    wanted = Q(**{f"{submission}__in": live, published: True})
    return wanted | Q(**{f"{key}__in": sorted(frozen)}) if frozen else wanted


def submissions_read(keys: Sequence[int], view: Visibility) -> list[VisibleSubmission]:
    """Systems of one phase by their keys, in this order, with what their clips need."""
    if not keys:
        return []
    place = {key: at for at, key in enumerate(keys)}
    systems = all_visible(with_clips(Submission.objects.filter(pk__in=list(keys))), view)
    return sorted(systems, key=lambda system: place[system.pk])


def with_clips(submissions: QuerySet[Submission]) -> QuerySet[Submission]:
    """Read what is needed to read the clips besides, without the references themselves."""
    return submissions.select_related("team", "phase__reference_set", "other_references").defer(
        "phase__reference_set__payload", "other_references__payload"
    )


def row_of_submission(submission: AnySubmission, value: MetricValue | None = None) -> RankedRow:
    """Row of a submission by itself, without a rank."""
    return RankedRow(
        key=submission.pk,
        public_id=submission.public_id,
        team=submission.team_id,
        team_slug=submission.team.slug,
        team_name=submission.team.name,
        system_name=submission.system_name,
        submitted_at=submission.created_at,
        chosen=submission.chosen,
        ranking_value=value,
        kind=Kind(submission.kind),
    )
