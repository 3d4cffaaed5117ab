"""Challenges and their phases as readers see them: state, dates, standing, leaders, images."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

from django.db.models import QuerySet
from django.urls import reverse

from earmark.registry import MetricInfo
from leaderboard.models import Announcement, Challenge, MetricResult, Phase, Submission
from leaderboard.selectors.evaluations.metric_value import MetricValue
from leaderboard.selectors.ranking.ranking import rank_lines, ranking_of, rules_key
from leaderboard.selectors.visibility.ranked_row import RankedRow
from leaderboard.selectors.visibility.visibility import EVERYTHING, Visibility, public_view
from leaderboard.selectors.visibility.visible_submissions import all_visible, row_of_submission
from leaderboard.web.version_cache import kept_for_version

State = Literal["open", "upcoming", "closed", "unready"]
_STATES: dict[State, int] = {"open": 0, "upcoming": 1, "unready": 2, "closed": 3}


@dataclass(frozen=True, slots=True)
class PhaseStatus:
    """A phase at a moment: whether it is open, how many take part, who leads.

    ``leaders`` holds all who share the first rank, in the order of the board;
    None where the scores are not to be seen.
    """

    phase: Phase
    state: State
    systems: int
    teams: int
    leaders: tuple[RankedRow, ...] | None

    @property
    def ranking(self) -> MetricInfo:
        """The metric that decides, as the values of the leaders were computed."""
        value = self.leaders[0].ranking_value if self.leaders else None
        return value.info if value and value.signature else self.phase.ranking


@dataclass(frozen=True, slots=True)
class Overview:
    """A challenge with the status of each of its phases, in the organisers' order."""

    challenge: Challenge
    statuses: tuple[PhaseStatus, ...]

    @property
    def is_open(self) -> bool:
        """Whether some phase takes submissions."""
        return any(status.state == "open" for status in self.statuses)


def timeline_of(phases: Iterable[Phase], now: datetime) -> list[dict[str, Any]]:
    """The dates of a challenge's phases in their order; phases without dates have none.

    ``opens``: the phase does, else it closes; ``is_next``: the first that is still to come.
    """
    dates = [
        (at, place, phase, opens)
        for place, phase in enumerate(phases)
        for at, opens in ((phase.opens_at, True), (phase.closes_at, False))
        if at is not None
    ]
    dates.sort(key=lambda date: date[:2])
    coming = next((date for date in dates if date[0] > now), None)
    return [
        {"at": at, "phase": phase, "opens": opens, "is_past": at <= now, "is_next": date is coming}
        for date in dates
        for at, _, phase, opens in [date]
    ]


def phase_state(phase: Phase, now: datetime) -> State:
    """The state of a phase: whether it takes submissions."""
    if phase.is_open(now):
        return "open"
    if phase.closes_at is not None and phase.closes_at <= now:
        return "closed"
    if phase.opens_at is not None and phase.opens_at > now:
        return "upcoming"
    return "unready"


def is_final(phase: Phase, now: datetime) -> bool:
    """Whether a phase has closed and everyone sees the whole of its ranking."""
    seen = phase.scores_public and public_view(phase, now).whole
    return seen and phase_state(phase, now) == "closed"


def overviews_of(
    challenges: QuerySet[Challenge], now: datetime, *, organised: Collection[int] = ()
) -> list[Overview]:
    """Challenges with the status of their phases: open ones first, soonest to close first.

    Four queries, however many there are. ``organised`` holds the ids of the
    challenges whose scores the reader sees even where they are not public.
    """
    rows = list(challenges)
    statuses = defaultdict(list)
    phases = Phase.objects.filter(challenge__in=rows)
    for status in phase_statuses(phases, now, organised=organised):
        statuses[status.phase.challenge_id].append(status)
    overviews = [Overview(challenge, tuple(statuses[challenge.pk])) for challenge in rows]
    return sorted(overviews, key=lambda one: min(map(_urgency, one.statuses), default=(9, 0.0)))


def leading_phase(statuses: Collection[PhaseStatus]) -> PhaseStatus | None:
    """The phase that a challenge is about now: the open one that closes first, else the last."""
    return min(statuses, key=_urgency, default=None)


def _urgency(status: PhaseStatus) -> tuple[int, float]:
    """Sort key of a phase, the most pressing first."""
    phase, state = status.phase, status.state
    if state == "open":
        return 0, phase.closes_at.timestamp() if phase.closes_at else float("inf")
    if state == "upcoming" and phase.opens_at:
        return 1, phase.opens_at.timestamp()
    # What closed last comes first among what is closed.
    return _STATES[state], -phase.closes_at.timestamp() if phase.closes_at else 0.0


def phase_statuses(
    phases: QuerySet[Phase], now: datetime, *, organised: Collection[int] = ()
) -> list[PhaseStatus]:
    """The status of each phase, in the phases' order; three queries.

    ``organised`` as in ``overviews_of``.
    """
    with_references = phases.select_related("reference_set").defer("reference_set__payload")
    rows = list(with_references.order_by("challenge", "position", "id"))
    # In a list even a team is given its alias.
    views = {
        phase.pk: EVERYTHING if phase.challenge_id in organised else public_view(phase, now)
        for phase in rows
    }
    live = [phase for phase in rows if views[phase.pk].until is None]
    standings = kept_for_version(
        ("standings", *((*rules_key(phase), views[phase.pk]) for phase in live)),
        lambda: _standings(live, views),
    )
    statuses = []
    for phase in rows:
        view = views[phase.pk]
        if view.until is not None:
            status = _frozen_status(phase, view, now)
        else:
            status = PhaseStatus(phase, phase_state(phase, now), *standings[phase.pk])
        scores_visible = phase.scores_public or phase.challenge_id in organised
        statuses.append(status if scores_visible else replace(status, leaders=None))
    return statuses


# Systems, teams, and who shares the first rank.
_Standing = tuple[int, int, tuple[RankedRow, ...]]


def _standings(phases: Sequence[Phase], views: Mapping[int, Visibility]) -> dict[int, _Standing]:
    """How phases stand, by key; two queries."""
    submissions, values = _submissions(phases), _ranking_values(phases)
    standings: dict[int, _Standing] = {}
    for phase in phases:
        systems = all_visible(submissions[phase.pk], views[phase.pk])
        known = values[phase.pk]
        rows = (
            row_of_submission(row, MetricValue(phase.ranking_metric, known.get(row.pk)))
            for row in systems
        )
        ranked = rank_lines(phase, rows, every_system=False)
        leaders = tuple(row for row in ranked if row.rank == 1 and row.value is not None)
        standings[phase.pk] = len(systems), len({row.team_id for row in systems}), leaders
    return standings


def _frozen_status(phase: Phase, view: Visibility, now: datetime) -> PhaseStatus:
    lines = ranking_of(phase, view=view, every_system=True).rows
    return PhaseStatus(
        phase=phase,
        state=phase_state(phase, now),
        systems=len(lines),
        teams=len({line.team for line in lines}),
        leaders=tuple(
            line for line in lines if line.rank == 1 and line.counts and line.value is not None
        ),
    )


def _submissions(phases: Sequence[Phase]) -> dict[int, list[Submission]]:
    rows = (
        Submission.objects.competing()
        .filter(phase__in=phases)
        .select_related("team")
        .only(
            *("public_id", "kind", "system_name", "created_at", "chosen", "phase"),
            *("team__name", "team__slug", "team__affiliation"),
        )
        .order_by("pk")
    )
    by_phase: dict[int, list[Submission]] = defaultdict(list)
    for submission in rows:
        by_phase[submission.phase_id].append(submission)
    return by_phase


def _ranking_values(phases: Iterable[Phase]) -> dict[int, dict[int, float | None]]:
    """Per phase, each submission's value of the metric that decides."""
    metric = {phase.pk: phase.ranking_metric for phase in phases}
    rows = MetricResult.objects.filter(
        submission__phase__in=list(metric),
        metric__in=set(metric.values()),
        evaluation__published=True,
    ).values_list("submission__phase_id", "submission_id", "metric", "value")
    values: dict[int, dict[int, float | None]] = defaultdict(dict)
    for phase_id, submission_id, name, value in rows:
        if metric[phase_id] == name:
            values[phase_id][submission_id] = value
    return values


def announcements_of(challenge: Challenge) -> QuerySet[Announcement]:
    """The announcements of a challenge, the latest first."""
    return challenge.announcements.select_related("author")


@dataclass(frozen=True, slots=True)
class ShownImage:
    """Where an image lies, and its size in pixels."""

    address: str
    width: int
    height: int
    is_logo: bool


@dataclass(frozen=True, slots=True)
class ChallengeImages:
    """The images of a challenge: for its text by their names, and its logo."""

    by_name: Mapping[str, ShownImage]
    logo: ShownImage | None


def images_of(challenge: Challenge) -> ChallengeImages:
    """All images of a challenge, in one query that reads none of their bytes."""
    rows = challenge.images.defer("content").order_by("name")
    by_name = {}
    for image in rows:
        address = reverse("leaderboard:challenge-image", args=[challenge.slug, image.sha256[:16]])
        by_name[image.name] = ShownImage(address, image.width, image.height, image.is_logo)
    logos = (image for image in by_name.values() if image.is_logo)
    return ChallengeImages(by_name, next(logos, None))
