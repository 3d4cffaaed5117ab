"""Who may see and do what; every view and API operation asks here.

Each ``*_for`` function gives the object or raises ``Http404``, so that what
someone may not see cannot be told from what does not exist.
"""

from datetime import datetime
from typing import TypeAlias

from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404

from leaderboard.models import Challenge, Membership, Phase, Role, Submission, Team, User

Visitor: TypeAlias = User | AnonymousUser


def is_organiser(user: Visitor, challenge: Challenge) -> bool:
    """Tell whether ``user`` runs the challenge (staff with all rights run every one)."""
    if not user.is_authenticated:
        return False
    return user.is_superuser or challenge.organisers.filter(pk=user.pk).exists()


def organised_challenges(user: Visitor) -> frozenset[int]:
    """Give the ids of all challenges that ``user`` runs, in one query, for lists."""
    if not user.is_authenticated:
        return frozenset()
    runs = Challenge.objects.all() if user.is_superuser else user.organised_challenges.all()
    return frozenset(runs.values_list("pk", flat=True))


def challenges_visible(user: Visitor) -> QuerySet[Challenge]:
    """Give the challenges that ``user`` may see."""
    if not user.is_authenticated:
        return Challenge.objects.filter(published=True)
    if user.is_superuser:
        return Challenge.objects.all()
    return Challenge.objects.filter(Q(published=True) | Q(organisers=user)).distinct()


def challenge_for(user: Visitor, slug: str) -> Challenge:
    """Give a challenge that ``user`` may see."""
    return get_object_or_404(challenges_visible(user), slug=slug)


def phase_for(user: Visitor, challenge_slug: str, phase_slug: str) -> Phase:
    """Give a phase of a challenge that ``user`` may see."""
    return get_object_or_404(
        Phase.objects.select_related("challenge", "reference_set").defer("reference_set__payload"),
        challenge__in=challenges_visible(user),
        challenge__slug=challenge_slug,
        slug=phase_slug,
    )


def may_see_scores(user: Visitor, phase: Phase) -> bool:
    """Tell whether ``user`` sees everyone's corpus scores of a phase."""
    return phase.scores_public or is_organiser(user, phase.challenge)


def may_see_clips(user: Visitor, phase: Phase) -> bool:
    """Tell whether ``user`` sees anything of single clips: scores, captions, plots.

    Of hidden references nothing leaves the server, not even to the team whose
    captions were scored.
    """
    return phase.references_public or is_organiser(user, phase.challenge)


def may_see_clip_names(user: Visitor, phase: Phase, now: datetime) -> bool:
    """Tell whether ``user`` sees which clips a phase has: everyone, but not before it opens."""
    begun = phase.opens_at is None or phase.opens_at <= now
    return begun or is_organiser(user, phase.challenge)


def is_member(user: Visitor, team: Team) -> bool:
    """Tell whether ``user`` belongs to the team."""
    return user.is_authenticated and team.memberships.filter(user=user).exists()


def submission_for(user: Visitor, public_id: str) -> Submission:
    """Give a submission that ``user`` may see.

    Its team and the organisers always see it, everyone else where the phase's
    scores are public.
    """
    submission = get_object_or_404(
        Submission.objects.select_related(
            "phase__challenge", "phase__reference_set", "other_references", "team", "submitted_by"
        ).defer("phase__reference_set__payload", "other_references__payload"),
        public_id=public_id,
        phase__challenge__in=challenges_visible(user),
    )
    if not (may_see_scores(user, submission.phase) or is_member(user, submission.team)):
        raise Http404
    return submission


class ClipsHidden(PermissionDenied):
    """Single clips of a phase whose references are hidden."""

    def __init__(self) -> None:
        super().__init__(
            "The references of this phase are hidden, so nothing of a single clip is shown."
        )


def clips_for(user: Visitor, public_id: str) -> Submission:
    """Give a submission whose single clips ``user`` may see.

    Raises ``Http404`` where the submission is not to be seen, and ``ClipsHidden``
    where its clips are not: before anything of a clip, be it its number or its
    name, is looked at, so that no answer and no timing depends on it.
    """
    submission = submission_for(user, public_id)
    if not may_see_clips(user, submission.phase):
        raise ClipsHidden
    return submission


def clips_beside(user: Visitor, submission: Submission) -> list[Submission]:
    """List the other submissions of a phase whose clips ``user`` may see beside these.

    ``submission`` comes from ``clips_for``, so that the clips of its phase may be
    seen; of whose captions, depends on the submission.
    """
    phase = submission.phase
    rows = (
        Submission.objects.filter(phase=phase)
        .exclude(pk=submission.pk)
        .select_related("team", "other_references")
        .defer("other_references__payload", "description", "metadata", "warnings")
        .order_by("system_name", "pk")
    )
    if not may_see_scores(user, phase):
        rows = rows.filter(team__in=teams_of(user))
    found = list(rows)
    for row in found:
        row.phase = phase
    return found


def analysis_for(user: Visitor, challenge_slug: str, phase_slug: str) -> Phase:
    """Give a phase whose systems ``user`` may compare clip by clip.

    Raises ``Http404`` where the phase or its scores are not to be seen, and
    ``ClipsHidden`` where its clips are not.
    """
    phase = phase_for(user, challenge_slug, phase_slug)
    if not may_see_scores(user, phase):
        raise Http404
    if not may_see_clips(user, phase):
        raise ClipsHidden
    return phase


def may_manage_submission(user: Visitor, submission: Submission) -> bool:
    """Tell whether ``user`` may retry a submission and fetch its file."""
    return is_member(user, submission.team) or is_organiser(user, submission.phase.challenge)


def own_submission_for(user: Visitor, public_id: str) -> Submission:
    """Give a submission that ``user`` may manage."""
    submission = submission_for(user, public_id)
    if not may_manage_submission(user, submission):
        raise Http404
    return submission


def teams_of(user: Visitor) -> QuerySet[Team]:
    """Give the teams that ``user`` may submit for."""
    if not user.is_authenticated:
        return Team.objects.none()
    return Team.objects.filter(memberships__user=user)


def team_for_member(user: Visitor, slug: str) -> Team:
    """Give a team that ``user`` belongs to."""
    return get_object_or_404(teams_of(user), slug=slug)


def owned_team_for(user: Visitor, slug: str) -> Team:
    """Give a team that ``user`` owns."""
    if not user.is_authenticated:
        raise Http404
    return get_object_or_404(Membership, team__slug=slug, user=user, role=Role.OWNER).team
