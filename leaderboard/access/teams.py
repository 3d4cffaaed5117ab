"""Who belongs to a team, and who runs it."""

from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404

from leaderboard.access.challenges import organised_challenges
from leaderboard.models import Membership, Team, TeamRole
from leaderboard.selectors.people.teams import owns
from leaderboard.web.requests import Visitor


def is_member(user: Visitor, team: int) -> bool:
    """Whether ``user`` belongs to the team with this key."""
    return user.is_authenticated and Membership.objects.filter(team=team, user=user).exists()


def teams_of(user: Visitor) -> QuerySet[Team]:
    """Teams that ``user`` may submit for."""
    if not user.is_authenticated:
        return Team.objects.none()
    return Team.objects.filter(memberships__user=user)


def team_for_member(user: Visitor, slug: str) -> Team:
    """A team that ``user`` belongs to."""
    return get_object_or_404(teams_of(user), slug=slug)


def organises_for(user: Visitor, team: Team) -> bool:
    """Whether ``user`` runs a challenge in which the team takes part.

    Nobody does for the team of the human row, which is the same in all challenges.
    """
    organised = organised_challenges(user)
    if not organised:
        return False
    handed_in = team.submissions.of_teams()
    return handed_in.filter(phase__challenge__in=organised).exists()


def team_to_edit_for(user: Visitor, slug: str) -> Team:
    """A team whose name ``user`` may ask to change: as an owner, or as an organiser."""
    team = get_object_or_404(Team, slug=slug)
    if not (user.is_authenticated and (owns(user, team) or organises_for(user, team))):
        raise Http404
    return team


def own_membership_for(user: Visitor, slug: str) -> Membership:
    """One's own membership in a team."""
    if not user.is_authenticated:
        raise Http404
    rows = Membership.objects.select_related("team", "user")
    return get_object_or_404(rows, team__slug=slug, user=user)


def owned_team_for(user: Visitor, slug: str) -> Team:
    """A team that ``user`` owns."""
    if not user.is_authenticated:
        raise Http404
    return get_object_or_404(Membership, team__slug=slug, user=user, role=TeamRole.OWNER).team
