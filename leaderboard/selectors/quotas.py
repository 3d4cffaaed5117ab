"""How many submissions a team has left."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.db.models import Exists, OuterRef

from leaderboard.models import Evaluation, EvaluationState, Phase, Submission, Team


@dataclass(frozen=True, slots=True)
class Quota:
    """What is left to a team in a phase; ``left`` None means no limit.

    ``resets_at`` is set where the day's limit is what binds.
    """

    left: int | None
    limit: int | None = None
    resets_at: datetime | None = None

    @property
    def sentence(self) -> str:
        """Say it in words."""
        if self.left is None:
            return "There is no limit on submissions."
        if self.resets_at is None:
            return f"{self.left} of {self.limit} submissions left in this phase."
        return (
            f"{self.left} of {self.limit} submissions left today; "
            f"the count starts anew at {self.resets_at:%Y-%m-%d %H:%M} UTC."
        )


def quota_of(*, phase: Phase, team: Team, now: datetime) -> Quota:
    """Give what is left; submissions that could not be scored do not count.

    Call it under the team's lock to decide, without to inform.
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
        options.append(Quota(left, phase.quota_per_day, day + timedelta(days=1)))
    if phase.quota_total is not None:
        left = max(0, phase.quota_total - spent.count())
        options.append(Quota(left, phase.quota_total))
    # Where both bind equally, the total is what the team must know.
    return min(
        options, key=lambda quota: (quota.left, quota.resets_at is not None), default=Quota(None)
    )
