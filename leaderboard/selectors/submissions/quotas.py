"""How many submissions a team has left, and with how many systems it may stand."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from leaderboard.models import Evaluation, EvaluationState, Phase, Submission, Team
from leaderboard.selectors.people.participation import MissingStep, TakingPart
from leaderboard.selectors.visibility.visible_submissions import AnySubmission


@dataclass(frozen=True, slots=True)
class Quota:
    """What is left to a team in a phase; ``left`` None means no limit.

    ``resets_at`` is set where the day's limit is what binds; days are those of UTC,
    and ``time_zone`` is the challenge's, in which people there read times. ``elsewhere`` are
    the submissions counted that other teams made: those of the person who made this one.
    """

    left: int | None
    limit: int | None = None
    resets_at: datetime | None = None
    time_zone: str = "UTC"
    elsewhere: int = 0

    @property
    def sentence(self) -> str:
        """The quota in words."""
        if self.left is None:
            return "There is no limit on submissions."
        if self.resets_at is None:
            return f"{self.left} of {self.limit} submissions left in this phase.{self._others}"
        return (
            f"{self.left} of {self.limit} submissions left today; "
            f"the count resets at {moment_in(self.resets_at, self.time_zone)}.{self._others}"
        )

    def next_sentence(self, closes_at: datetime | None) -> str:
        """When a submission is possible again, for a quota of which nothing is left."""
        if self.resets_at is None:
            return "No more submissions are possible in this phase."
        if closes_at is not None and closes_at <= self.resets_at:
            return "No more submissions are possible: the phase closes before the next day."
        again = moment_in(self.resets_at, self.time_zone)
        return f"The next submission is possible at {again}."

    @property
    def _others(self) -> str:
        if not self.elsewhere:
            return ""
        many = "1 is" if self.elsewhere == 1 else f"{self.elsewhere} are"
        return (
            " Submissions of all teams that the same person made count together: of those counted, "
            f"{many} another team's."
        )


def moment_in(at: datetime, time_zone: str) -> str:
    """Write a moment in a challenge's time zone, with UTC beside it."""
    utc = f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    if time_zone == "UTC":
        return utc
    return f"{at.astimezone(ZoneInfo(time_zone)):%Y-%m-%d %H:%M} ({time_zone}), {utc}"


@dataclass(frozen=True, slots=True)
class SubmissionSlots:
    """The systems with which a team stands, the oldest first; ``limit`` None means no limit."""

    limit: int | None = None
    taken: tuple[AnySubmission, ...] = ()

    @property
    def left(self) -> int | None:
        """How many more may stand; never below zero, be the limit lowered afterwards."""
        return None if self.limit is None else max(0, self.limit - len(self.taken))

    @property
    def sentence(self) -> str:
        """The slots in words, with what can be done where no slot is left."""
        if self.limit is None:
            return "A team may have any number of systems."
        many = "1 system" if self.limit == 1 else f"{self.limit} systems"
        sentence = f"{len(self.taken)} of {many} used."
        return sentence if self.left else f"{sentence} Withdraw one to make room: {self._names}."

    @property
    def _names(self) -> str:
        names = [row.system_name for row in self.taken[:NAMED]]
        more = len(self.taken) - len(names)
        return ", ".join([*names, f"or one of {more} more"] if more else names)


# As many as fit into a refusal.
NAMED = 8


def submission_slots(*, phase: Phase, team: Team) -> SubmissionSlots:
    """The slots that a team has taken in a phase; a withdrawn system takes none.

    Call it under the phase's lock to decide, without to inform.
    """
    if phase.systems_per_team is None:
        return SubmissionSlots()
    competing = Submission.objects.competing().filter(phase=phase, team=team)
    return SubmissionSlots(
        phase.systems_per_team,
        tuple(competing.only("system_name", "public_id").order_by("created_at", "pk")),
    )


def quota_of(*, phase: Phase, team: Team, now: datetime) -> Quota:
    """The quota left; submissions that could not be scored do not count, withdrawn ones do.

    Where the phase says so, all teams that one person made share it. Who made a team never
    changes; who merely joined one has no part in this.

    Call it under the phase's lock to decide, without to inform.
    """
    failed = Evaluation.objects.filter(
        submission=OuterRef("pk"),
        published=True,
        family=phase.ranking.family,
        state=EvaluationState.FAILED,
    )
    teams = Q(team=team)
    if phase.quota_shared and team.created_by_id is not None:
        teams |= Q(team__created_by=team.created_by_id)
    spent = Submission.objects.filter(~Exists(failed), teams, phase=phase)
    options = []
    if phase.quota_per_day is not None:
        day = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        used, elsewhere = _counts(spent.filter(created_at__gte=day), team)
        left = max(0, phase.quota_per_day - used)
        zone = phase.challenge.time_zone
        anew = day + timedelta(days=1)
        options.append(Quota(left, phase.quota_per_day, anew, zone, elsewhere))
    if phase.quota_total is not None:
        used, elsewhere = _counts(spent, team)
        left = max(0, phase.quota_total - used)
        options.append(Quota(left, phase.quota_total, elsewhere=elsewhere))
    # Where both bind equally, the total is what the team must know.
    return min(
        options, key=lambda quota: (quota.left, quota.resets_at is not None), default=Quota(None)
    )


def _counts(spent: QuerySet[Submission], team: Team) -> tuple[int, int]:
    """How many submissions these are, and how many of them other teams'."""
    counts = spent.aggregate(all=Count("pk"), elsewhere=Count("pk", filter=~Q(team=team)))
    return counts["all"], counts["elsewhere"]


@dataclass(frozen=True, slots=True)
class TeamQuota:
    """What a team has left in a phase, and what it lacks to take part."""

    phase: Phase
    part: TakingPart
    quota: Quota
    slots: SubmissionSlots

    @property
    def spent(self) -> str:
        """Why the team can submit nothing now, and when or how it can; empty where it can."""
        if self.part.missing != MissingStep.NOTHING:
            return self.part.sentence
        if self.quota.left == 0:
            return f"{self.quota.sentence} {self.quota.next_sentence(self.phase.closes_at)}"
        return self.slots.sentence if self.slots.left == 0 else ""


def team_quota(phase: Phase, part: TakingPart, now: datetime) -> TeamQuota:
    """What is left to the team that takes part."""
    quota = quota_of(phase=phase, team=part.team, now=now)
    return TeamQuota(phase, part, quota, submission_slots(phase=phase, team=part.team))
