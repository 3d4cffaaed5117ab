"""The teams that take part in a challenge, or ask to, as its organisers see them."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Lower

from leaderboard.models import (
    Challenge,
    ChallengeParticipation,
    Membership,
    ParticipationState,
    Submission,
    Team,
    User,
)

PAGE = 50
# A team that handed in before it had to ask.
UNASKED = "unasked"
STATES = {**dict(ParticipationState.choices), UNASKED: "Submitted without a request"}


@dataclass(frozen=True, slots=True)
class ParticipantRow:
    """A team; ``part`` is None where it submitted and never had to ask."""

    team: Team
    part: ChallengeParticipation | None
    people: tuple[User, ...]
    submissions: int

    @property
    def state(self) -> str:
        """The key of the row in ``STATES``."""
        return UNASKED if self.part is None else self.part.state

    @property
    def state_name(self) -> str:
        """The state in words."""
        return STATES[self.state]


def participants_of(challenge: Challenge, *, state: str = "", text: str = "") -> QuerySet[Team]:
    """Teams that asked, take part or submitted: who waits comes first, then by name.

    ``state`` is a key of ``STATES``; ``text`` is in the name of a team or of a member.
    """
    parts = ChallengeParticipation.objects.filter(challenge=challenge, team=OuterRef("pk"))
    handed_in = Submission.objects.of_teams().filter(
        phase__challenge=challenge, team=OuterRef("pk")
    )
    rows = Team.objects.annotate(waits=Exists(parts.filter(state=ParticipationState.ASKED)))
    if state == UNASKED:
        rows = rows.filter(~Exists(parts), Exists(handed_in))
    elif state:
        rows = rows.filter(Exists(parts.filter(state=state)))
    else:
        rows = rows.filter(Exists(parts) | Exists(handed_in))
    if text:
        named = Q(memberships__user__username__icontains=text)
        found = Team.objects.filter(Q(name__icontains=text) | named)
        rows = rows.filter(pk__in=found.values("pk"))
    return rows.order_by("-waits", Lower("name"), "pk")


def participant_rows(challenge: Challenge, teams: Iterable[Team]) -> list[ParticipantRow]:
    """Some teams with their people and numbers; the queries do not grow with the teams."""
    listed = list(teams)
    keys = [team.pk for team in listed]
    parts = {
        part.team_id: part
        for part in challenge.participations.filter(team__in=keys).select_related(
            "asked_by", "accepted_by", "decided_by"
        )
    }
    people: dict[int, list[User]] = {key: [] for key in keys}
    memberships = Membership.objects.filter(team__in=keys).select_related("user")
    for membership in memberships.order_by("user__username"):
        people[membership.team_id].append(membership.user)
    counts = dict(
        Submission.objects.of_teams()
        .filter(phase__challenge=challenge, team__in=keys)
        .order_by()
        .values("team")
        .annotate(count=Count("pk"))
        .values_list("team", "count")
    )
    return [
        ParticipantRow(team, parts.get(team.pk), tuple(people[team.pk]), counts.get(team.pk, 0))
        for team in listed
    ]
