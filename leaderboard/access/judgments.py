"""Who sees pairs of captions that people judged: captions and references are in them."""

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404

from leaderboard.access.phases import organised_phase_for
from leaderboard.models import JudgmentSet, User
from leaderboard.web.requests import Visitor


def own_judgments_of(user: User) -> QuerySet[JudgmentSet]:
    """The judgments that ``user`` uploaded, without what is long in them."""
    return JudgmentSet.objects.filter(owner=user).defer("pairs", "clips", "results")


def own_judgments_for(user: User, pk: int) -> JudgmentSet:
    """Judgments that ``user`` uploaded; superusers see those of others. Raises ``Http404``."""
    rows = JudgmentSet.objects.filter(phase=None)
    return get_object_or_404(rows if user.is_superuser else rows.filter(owner=user), pk=pk)


def judged_pairs_for(user: Visitor, challenge_slug: str, phase_slug: str, pk: int) -> JudgmentSet:
    """Judgments of a phase that ``user`` organises, pair by pair. Raises ``Http404``."""
    phase = organised_phase_for(user, challenge_slug, phase_slug)
    judgments = get_object_or_404(JudgmentSet, phase=phase, pk=pk)
    judgments.phase = phase
    return judgments
