"""Who sees and changes a submission."""

from datetime import datetime

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone

from leaderboard.access.challenges import (
    challenges_visible,
    is_organiser,
    organised_challenges,
    organised_challenges_of,
)
from leaderboard.access.phases import may_see_clips, may_see_scores, require_clips, visibility_for
from leaderboard.access.teams import is_member, teams_of
from leaderboard.models import Kind, Phase, Submission, Team
from leaderboard.selectors.submissions.system_choice import comparable_systems
from leaderboard.selectors.submissions.team_systems import TeamPhase, team_phases
from leaderboard.selectors.visibility.visibility import public_view
from leaderboard.selectors.visibility.visible_submissions import (
    AnySubmission,
    VisibleSubmission,
    visible_to,
)
from leaderboard.web.requests import Visitor


def _with_relations() -> QuerySet[Submission]:
    """Submissions with what pages show of them, without the packed references."""
    return Submission.objects.select_related(
        "phase__challenge", "phase__reference_set", "other_references", "team", "submitted_by"
    ).defer("phase__reference_set__payload", "other_references__payload")


def organised_submission_for(user: Visitor, public_id: str) -> Submission:
    """A submission to a challenge that ``user`` runs."""
    return get_object_or_404(
        _with_relations(),
        public_id=public_id,
        phase__challenge__in=organised_challenges_of(user),
    )


def submission_for(user: Visitor, public_id: str) -> AnySubmission:
    """A submission that ``user`` may see, with the names that they may know.

    Its team and the organisers always see it, everyone else where the phase's
    scores are public and it is in the ranking that they see.
    """
    submission = get_object_or_404(
        _with_relations(),
        public_id=public_id,
        phase__challenge__in=challenges_visible(user),
    )
    if may_manage_submission(user, submission):
        return submission
    if not may_see_scores(user, submission.phase):
        raise Http404
    shown = visible_to(submission, visibility_for(user, submission.phase, timezone.now()))
    if shown is None or not shown.is_eligible:
        raise Http404
    return shown


def clips_for(user: Visitor, public_id: str) -> AnySubmission:
    """A submission whose single clips ``user`` may see.

    Raises ``Http404`` where the submission is not to be seen, and ``PermissionDenied``
    where its clips are not. It comes before anything of a clip, even its number or name, is
    looked at, so that no answer and no timing depends on it.
    """
    submission = submission_for(user, public_id)
    require_clips(user, submission.phase)
    return submission


def system_words_for(user: Visitor, public_id: str) -> AnySubmission:
    """A submission whose words ``user`` may look at; raises as ``clips_for``, and without ACES."""
    submission = clips_for(user, public_id)
    if not submission.phase.computes("aces"):
        raise Http404
    return submission


def system_pages_for(user: Visitor, submission: AnySubmission) -> frozenset[str]:
    """Names of the addresses of a system's pages that ``user`` may open, who may see it."""
    clips = ("profile", "clips") if may_see_clips(user, submission.phase) else ()
    words = ("words-system",) if clips and submission.phase.computes("aces") else ()
    return frozenset(("system", "system-about", *clips, *words))


def comparable_submissions(user: Visitor, submission: AnySubmission) -> list[VisibleSubmission]:
    """The other submissions of a phase whose clips ``user`` may compare with ``submission``.

    ``submission`` comes from ``clips_for``, so that ``user`` may see the clips of its phase.
    """
    phase = submission.phase
    view = visibility_for(user, phase, timezone.now())
    systems = comparable_systems(phase, view)
    if not may_see_scores(user, phase):
        own = set(teams_of(user).values_list("pk", flat=True))
        systems = tuple(row for row in systems if row.team_id in own)
    return [row for row in systems if row.pk != submission.pk]


def may_manage_submission(user: Visitor, submission: AnySubmission) -> bool:
    """Whether ``user`` may retry a submission and fetch its file."""
    return is_member(user, submission.team_id) or is_organiser(user, submission.phase.challenge)


def may_edit_submission(user: Visitor, submission: AnySubmission, now: datetime) -> bool:
    """Whether ``user`` may change the description of a system.

    Its team may until the phase closes, the organisers at any time; nobody may for the
    human row.
    """
    if submission.kind == Kind.HUMAN:
        return False
    if is_organiser(user, submission.phase.challenge):
        return True
    closes_at = submission.phase.closes_at
    return is_member(user, submission.team_id) and (closes_at is None or now < closes_at)


def report_is_public(submission: AnySubmission, now: datetime) -> bool:
    """Whether everyone who sees the system may read its report: once the phase has closed."""
    closes_at = submission.phase.closes_at
    return closes_at is None or closes_at <= now


def may_read_report(user: Visitor, submission: AnySubmission, now: datetime) -> bool:
    """Whether ``user``, who sees the submission, may read its technical report."""
    if submission.report_id is None:
        return False
    return report_is_public(submission, now) or may_manage_submission(user, submission)


def editable_submission_for(user: Visitor, public_id: str, now: datetime) -> Submission:
    """A submission whose description ``user`` may change.

    Raises ``PermissionDenied`` where it was theirs to change and the phase has closed.
    """
    submission = own_submission_for(user, public_id)
    if may_edit_submission(user, submission, now):
        return submission
    if submission.kind == Kind.HUMAN:
        raise Http404
    raise PermissionDenied(
        f"{submission.phase.name} has closed, so the description stays as it is. "
        "The organisers can still correct it."
    )


def own_submission_for(user: Visitor, public_id: str) -> Submission:
    """A submission that ``user`` may manage."""
    submission = submission_for(user, public_id)
    if isinstance(submission, VisibleSubmission) or not may_manage_submission(user, submission):
        raise Http404
    return submission


def team_submission_for(user: Visitor, public_id: str) -> Submission:
    """A submission of a team that ``user`` belongs to."""
    submission = submission_for(user, public_id)
    if isinstance(submission, VisibleSubmission) or not is_member(user, submission.team_id):
        raise Http404
    return submission


def visible_systems_of(user: Visitor, team: Team, now: datetime) -> list[AnySubmission]:
    """The systems of a team that ``user`` sees under its name, the latest first."""
    organised = organised_challenges(user)
    rows = (
        Submission.objects.filter(team=team, phase__challenge__in=challenges_visible(user))
        .select_related("phase__challenge", "team")
        .defer("description", "metadata", "warnings")
    )
    shown: list[AnySubmission] = []
    for row in rows:
        if row.phase.challenge_id in organised:
            shown.append(row)
            continue
        view = public_view(row.phase, now)
        if row.phase.scores_public and view.names and (seen := visible_to(row, view)):
            shown.append(seen)
    return [row for row in shown if row.competes]


def team_phases_for(user: Visitor, team: Team, now: datetime) -> tuple[TeamPhase, ...]:
    """The phases in which a team of ``user`` takes part, with what they may see of each."""
    phases = Phase.objects.filter(submissions__team=team).select_related("challenge").distinct()
    return team_phases(
        team,
        views={phase.pk: visibility_for(user, phase, now) for phase in phases},
        scored={phase.pk for phase in phases if may_see_scores(user, phase)},
        now=now,
    )
