"""How many submissions a team has left, and with how many systems it may stand."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from django.db.models import Exists, OuterRef

from leaderboard.models import Evaluation, EvaluationState, Phase, Submission, Team
from leaderboard.selectors.visibility.visible_submissions import AnySubmission


@dataclass(frozen=True, slots=True)
class Quota:
    """What is left to a team in a phase; ``left`` None means no limit.

    ``resets_at`` is set where the day's limit is what binds; days are those of UTC,
    and ``time_zone`` is the challenge's, in which people there read times.
    """

    left: int | None
    limit: int | None = None
    resets_at: datetime | None = None
    time_zone: str = "UTC"

    @property
    def sentence(self) -> str:
        """The quota in words."""
        if self.left is None:
            return "There is no limit on submissions."
        if self.resets_at is None:
            return f"{self.left} of {self.limit} submissions left in this phase."
        return (
            f"{self.left} of {self.limit} submissions left today; "
            f"the count starts anew at {moment_in(self.resets_at, self.time_zone)}."
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
            return "A team may stand with any number of systems."
        many = "1 system" if self.limit == 1 else f"{self.limit} systems"
        sentence = f"Your team stands with {len(self.taken)} of {many}."
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

    Call it under the phase's lock to decide, without to inform.
    """
    failed = Evaluation.objects.filter(
        submission=OuterRef("pk"),
        published=True,
        family=phase.ranking.family,
        state=EvaluationState.FAILED,
    )
    spent = Submission.objects.filter(~Exists(failed), phase=phase, team=team)
    options = []
    if phase.quota_per_day is not None:
        day = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        used = spent.filter(created_at__gte=day).count()
        left = max(0, phase.quota_per_day - used)
        zone = phase.challenge.time_zone
        options.append(Quota(left, phase.quota_per_day, day + timedelta(days=1), zone))
    if phase.quota_total is not None:
        left = max(0, phase.quota_total - spent.count())
        options.append(Quota(left, phase.quota_total))
    # Where both bind equally, the total is what the team must know.
    return min(
        options, key=lambda quota: (quota.left, quota.resets_at is not None), default=Quota(None)
    )
