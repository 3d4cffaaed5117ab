"""Who may see what of a phase: its scores, names, clips and recordings."""

from dataclasses import replace
from datetime import datetime

from django.core.exceptions import PermissionDenied
from django.db.models import Exists, OuterRef, QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone

from leaderboard.access.challenges import (
    challenge_for,
    challenges_visible,
    is_organiser,
    organised_challenges_of,
)
from leaderboard.access.teams import teams_of
from leaderboard.models import Challenge, JudgmentSet, Phase, RankSnapshot
from leaderboard.selectors.visibility.visibility import EVERYTHING, Visibility, public_view
from leaderboard.web.requests import Visitor


def phase_for(user: Visitor, challenge_slug: str, phase_slug: str) -> Phase:
    """A phase of a challenge that ``user`` may see."""
    runs = organised_challenges_of(user).filter(pk=OuterRef("challenge"))
    snapshots = RankSnapshot.objects.filter(phase=OuterRef("pk"))
    phase = get_object_or_404(
        Phase.objects.select_related("challenge", "reference_set")
        .defer("reference_set__payload")
        .annotate(runs=Exists(runs), keeps=Exists(snapshots)),
        challenge__in=challenges_visible(user),
        challenge__slug=challenge_slug,
        slug=phase_slug,
    )
    if user.pk is not None:
        phase.challenge.asked_by = (user.pk, bool(vars(phase)["runs"]))
    phase.keeps_rankings = bool(vars(phase)["keeps"])
    return phase


def organised_phase_for(user: Visitor, challenge_slug: str, phase_slug: str) -> Phase:
    """A phase of a challenge that ``user`` runs."""
    return get_object_or_404(
        Phase.objects.select_related("challenge", "reference_set").defer("reference_set__payload"),
        challenge__in=organised_challenges_of(user),
        challenge__slug=challenge_slug,
        slug=phase_slug,
    )


def visibility_for(user: Visitor, phase: Phase, now: datetime) -> Visibility:
    """What of a phase's ranking ``user`` sees while names or ranks are hidden.

    A team sees its own names, and its own systems as they are.
    """
    visibility = public_view(phase, now)
    if visibility.whole or is_organiser(user, phase.challenge):
        return EVERYTHING
    own = teams_of(user).filter(submissions__phase=phase).order_by("pk").distinct()
    return replace(visibility, own=tuple(own.values_list("pk", flat=True)))


def may_see_scores(user: Visitor, phase: Phase) -> bool:
    """Whether ``user`` sees everyone's corpus scores of a phase."""
    return phase.scores_public or is_organiser(user, phase.challenge)


def phases_with_scores(
    user: Visitor, challenge: Challenge, now: datetime
) -> list[tuple[Phase, Visibility]]:
    """The phases of a challenge whose scores ``user`` sees, in order, each with how much of it.

    ``challenge`` comes from ``challenge_for``, so that ``user`` may see it.
    """
    phases = challenge.phases.select_related("challenge", "reference_set")
    rows = phases.defer("reference_set__payload").order_by("position", "id")
    organises = is_organiser(user, challenge)
    return [
        (phase, EVERYTHING if organises else visibility_for(user, phase, now))
        for phase in rows
        if organises or phase.scores_public
    ]


def results_for(
    user: Visitor, challenge_slug: str, phase_slug: str, now: datetime
) -> tuple[Challenge, list[tuple[Phase, Visibility]]]:
    """A challenge with the phase, or with all its phases, whose results ``user`` may download.

    These are those whose scores they see, each as they see it. Raises ``Http404`` without any.
    """
    challenge = challenge_for(user, challenge_slug)
    phases = phases_with_scores(user, challenge, now)
    shown = [(phase, view) for phase, view in phases if phase_slug in ("", phase.slug)]
    if not shown:
        raise Http404
    return challenge, shown


def snapshots_for(user: Visitor, challenge_slug: str, phase_slug: str) -> Phase:
    """A phase whose stored rankings ``user`` may read.

    They hold names and later rankings, so that only organisers read them while either
    is hidden.
    """
    phase = phase_for(user, challenge_slug, phase_slug)
    if not (may_see_scores(user, phase) and visibility_for(user, phase, timezone.now()).whole):
        raise Http404
    return phase


def judgments_for(
    user: Visitor, challenge_slug: str, phase_slug: str
) -> tuple[Phase, QuerySet[JudgmentSet]]:
    """A phase with what its judges say of metrics: organisers see all, others what is published.

    Only shares of pairs are in it, and nothing of a single clip, so that hidden references keep
    nobody from it. Raises ``Http404`` for others where there is none.
    """
    phase = phase_for(user, challenge_slug, phase_slug)
    rows = _judgments_seen(user, phase)
    if not (is_organiser(user, phase.challenge) or rows.exists()):
        raise Http404
    return phase, rows


def is_judged_for(user: Visitor, phase: Phase) -> bool:
    """Whether there is anything of judges in a phase that ``user`` may see."""
    return _judgments_seen(user, phase).exists()


def _judgments_seen(user: Visitor, phase: Phase) -> QuerySet[JudgmentSet]:
    rows = JudgmentSet.objects.filter(phase=phase).defer("pairs")
    if is_organiser(user, phase.challenge):
        return rows
    return rows.filter(published_at__isnull=False).exclude(results={})


def may_see_clips(user: Visitor, phase: Phase) -> bool:
    """Whether ``user`` sees anything of single clips: scores, captions, plots.

    Hidden references never leave the server, not even for the team whose captions were
    scored; public ones do from the opening of the phase on.
    """
    return is_organiser(user, phase.challenge) or (
        phase.references_public and phase.has_begun(timezone.now())
    )


def may_see_clip_names(user: Visitor, phase: Phase, now: datetime) -> bool:
    """Whether ``user`` sees which clips a phase has: everyone, but not before it opens."""
    return phase.has_begun(now) or is_organiser(user, phase.challenge)


def require_clips(user: Visitor, phase: Phase) -> None:
    """Raise ``PermissionDenied`` where references are hidden, for good or until the opening."""
    if may_see_clips(user, phase):
        return
    why = "public once it opens" if phase.references_public else "hidden"
    raise PermissionDenied(
        f"The references of this phase are {why}, so single clips are not shown."
    )


def shown_analysis_for(user: Visitor, challenge_slug: str, phase_slug: str) -> Phase:
    """A phase of whose ranking ``user`` may see what follows from its leaderboard.

    Raises ``Http404`` where the phase or its scores are not to be seen.
    """
    phase = phase_for(user, challenge_slug, phase_slug)
    if not may_see_scores(user, phase):
        raise Http404
    return phase


def analysis_for(user: Visitor, challenge_slug: str, phase_slug: str) -> Phase:
    """A phase whose systems ``user`` may compare clip by clip.

    Raises ``Http404`` where the phase or its scores are not to be seen, and
    ``PermissionDenied`` where its clips are not.
    """
    phase = shown_analysis_for(user, challenge_slug, phase_slug)
    require_clips(user, phase)
    return phase


def words_for(user: Visitor, challenge_slug: str, phase_slug: str) -> Phase:
    """A phase whose words ``user`` may look at; raises as ``analysis_for``, and without ACES."""
    phase = analysis_for(user, challenge_slug, phase_slug)
    if not phase.computes("aces"):
        raise Http404
    return phase


def phase_pages_for(user: Visitor, phase: Phase, now: datetime) -> frozenset[str]:
    """Names of the addresses of a phase's pages that ``user`` may open; for tabs."""
    scores, clips = may_see_scores(user, phase), may_see_clips(user, phase)
    references = phase.reference_set is not None and (clips or bool(phase.reference_set.card))
    seen = {
        "board": True,
        "history": scores,
        "analysis": scores,
        "metric-pair": scores and len(phase.computed) > 1,
        **dict.fromkeys(("distributions", "compare"), scores and clips),
        "words": scores and clips and phase.computes("aces"),
        "references": references,
        "judgments": is_judged_for(user, phase),
        "lab": is_organiser(user, phase.challenge),
        "submission-create": phase.is_open(now),
    }
    return frozenset(name for name, may in seen.items() if may)


def audio_for(user: Visitor, reference_set: int, position: int, now: datetime) -> None:
    """Raise ``Http404`` unless a phase lets ``user`` hear the sound of a clip.

    The answer is the same where there is no sound.
    """
    phases = Phase.objects.filter(
        reference_set=reference_set, challenge__in=challenges_visible(user)
    ).select_related("challenge")
    if not any(
        may_see_clips(user, phase) and may_see_clip_names(user, phase, now) for phase in phases
    ):
        raise Http404
