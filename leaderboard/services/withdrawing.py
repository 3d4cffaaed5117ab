"""What a team decides about its own submissions: withdrawing them, and which one counts.

Each act locks the phase, as taking a submission in does, so that places and choices are
decided one after the other.
"""

from datetime import datetime
from typing import Any

from django.db import transaction

from leaderboard.models import Counting, Phase, Submission, User
from leaderboard.selectors.quotas import Places, moment_in, places_of
from leaderboard.services.audit import audit_record


class ActRefused(Exception):
    """What a team cannot do with its submission; the text says why."""


class PhaseOver(ActRefused):
    """The phase has closed: what stands in it stands."""

    def __init__(self, phase: Phase, closed_at: datetime) -> None:
        when = moment_in(closed_at, phase.challenge.time_zone)
        super().__init__(
            f"{phase.name} closed at {when}, and what was handed in stays as it is since. "
            "Ask the organisers if something must be changed."
        )


class WasDisqualified(ActRefused):
    """The organisers have decided about it."""

    def __init__(self, submission: Submission) -> None:
        super().__init__(
            f"The organisers disqualified {submission.system_name}, so that its team can change "
            "nothing about it. Ask them."
        )


class NoPlaceToReturn(ActRefused):
    """Other systems took the place of a withdrawn one."""

    def __init__(self, places: Places) -> None:
        super().__init__(f"{places.sentence} Nothing was changed.")
        self.places = places


class NothingToChoose(ActRefused):
    """The phase decides by a rule which submission counts."""

    def __init__(self, phase: Phase) -> None:
        rule = "best" if phase.counting == Counting.BEST else "latest"
        super().__init__(f"In {phase.name} each team's {rule} submission counts. None is chosen.")


class DoesNotStand(ActRefused):
    """What does not compete cannot count."""

    def __init__(self, submission: Submission) -> None:
        super().__init__(
            f"{submission.system_name} was withdrawn or does not compete. Only a system that "
            "stands can be chosen."
        )


@transaction.atomic
def submission_withdraw(*, submission: Submission, actor: User, now: datetime) -> bool:
    """Take a submission out of the ranking; give whether it stood there till now.

    Raises ``PhaseOver`` or ``WasDisqualified``. It stays counted in the quota.
    """
    current = _locked(submission, now)
    if current.withdrawn_at is not None:
        return False
    Submission.objects.filter(pk=current.pk).update(withdrawn_at=now, chosen=False)
    _record("submission.withdraw", current, actor, now, was_chosen=current.chosen)
    return True


@transaction.atomic
def submission_take_back(*, submission: Submission, actor: User, now: datetime) -> bool:
    """Let a withdrawn submission stand again; give whether it was withdrawn.

    Raises ``PhaseOver``, ``WasDisqualified`` or ``NoPlaceToReturn``.
    """
    current = _locked(submission, now)
    if current.withdrawn_at is None:
        return False
    places = places_of(phase=current.phase, team=current.team)
    if places.left == 0:
        raise NoPlaceToReturn(places)
    Submission.objects.filter(pk=current.pk).update(withdrawn_at=None)
    _record("submission.take_back", current, actor, now)
    return True


@transaction.atomic
def submission_choose(*, submission: Submission, actor: User, now: datetime) -> bool:
    """Make this the submission that counts for its team; give whether another one did.

    Raises ``PhaseOver``, ``WasDisqualified``, ``NothingToChoose`` or ``DoesNotStand``.
    """
    current = _locked(submission, now)
    if current.phase.counting != Counting.CHOSEN:
        raise NothingToChoose(current.phase)
    if not current.competes:
        raise DoesNotStand(current)
    if current.chosen:
        return False
    of_team = Submission.objects.filter(phase=current.phase_id, team=current.team_id)
    before = of_team.filter(chosen=True).first()
    of_team.filter(chosen=True).update(chosen=False)
    of_team.filter(pk=current.pk).update(chosen=True)
    _record(
        "submission.choose", current, actor, now, instead_of=before.public_id if before else None
    )
    return True


def _locked(submission: Submission, now: datetime) -> Submission:
    """Give the submission as it is now, with its phase locked and still open to changes."""
    phase = (
        Phase.objects.select_for_update(of=("self",))
        .select_related("challenge")
        .get(pk=submission.phase_id)
    )
    current = Submission.objects.select_related("team").get(pk=submission.pk)
    current.phase = phase
    if phase.closes_at is not None and phase.closes_at <= now:
        raise PhaseOver(phase, phase.closes_at)
    if current.disqualified_at is not None:
        raise WasDisqualified(current)
    return current


def _record(
    action: str, submission: Submission, actor: User, now: datetime, **details: Any
) -> None:
    audit_record(
        at=now,
        actor=actor,
        action=action,
        target=submission.public_id,
        challenge=submission.phase.challenge,
        phase=str(submission.phase),
        team=submission.team.slug,
        **details,
    )
