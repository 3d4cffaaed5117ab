"""Teams: their members and invitations, and their history in plain sentences."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from leaderboard.models import AuditEvent, Membership, Phase, Submission, Team, TeamRole, User


def team_rows(user: User) -> QuerySet[Membership]:
    """The memberships of a user by name of team, with the team's ``members`` and ``handed_in``."""
    submissions = (
        Submission.objects.filter(team=OuterRef("team"))
        .order_by()
        .values("team")
        .annotate(count=Count("pk"))
        .values("count")
    )
    return (
        Membership.objects.filter(user=user)
        .select_related("team")
        .annotate(members=Count("team__memberships"), handed_in=Coalesce(Subquery(submissions), 0))
        .order_by("team__name")
    )


def members_of(team: Team) -> QuerySet[Membership]:
    """The memberships of a team, the oldest first."""
    return team.memberships.select_related("user")


def owns(user: User, team: Team) -> bool:
    """Whether a user manages the team."""
    return team.memberships.filter(user=user, role=TeamRole.OWNER).exists()


def phases_fixing_name(*, team: Team, now: datetime) -> QuerySet[Phase]:
    """Phases, closed or frozen, in whose ranking a team stands."""
    stands = Submission.objects.competing().filter(team=team)
    return Phase.objects.filter(
        Q(closes_at__lte=now) | Q(frozen_at__isnull=False), pk__in=stands.values("phase")
    ).select_related("challenge")


def owned_team_count(owner: User) -> int:
    """How many teams a person owns."""
    return Membership.objects.filter(user=owner, role=TeamRole.OWNER).count()


NOBODY = "A deleted account"
# What a command of the installation did has no actor.
SYSTEM = "The site"
ORGANISER = "An organiser"


@dataclass(frozen=True, slots=True)
class TeamEvent:
    """One act; ``public_id`` is the submission that it concerns, where it concerns one."""

    at: datetime
    sentence: str
    public_id: str = ""


def _edited(details: Mapping[str, Any]) -> str:
    before, after = details.get("before", {}), details.get("after", {})
    changes = [
        f"{what} from {before.get(key) or 'nothing'!r} to {after.get(key) or 'nothing'!r}"
        for key, what in (("name", "the name"), ("affiliation", "the affiliation"))
        if before.get(key) != after.get(key)
    ]
    return f"changed {' and '.join(changes)}." if changes else "edited the team."


_OF_TEAM: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "team.create": lambda _: "made the team.",
    "team.edit": _edited,
    "team.invite": lambda more: (
        f"invited {more['person']}." if "person" in more else "made an invitation link."
    ),
    "team.revoke": lambda _: "revoked an invitation.",
    "team.join": lambda _: "joined.",
    "team.decline": lambda _: "declined to join.",
    "team.leave": lambda _: "left.",
    "team.remove": lambda more: f"removed {more.get('person', 'a member')}.",
    "team.role": lambda more: (
        f"made {more.get('person', 'someone')} "
        f"{'an owner' if more.get('role') == 'owner' else 'a member'}."
    ),
    "participation.ask": lambda more: f"asked to take part in {more['title']}.",
    "participation.accept": lambda more: f"accepted the terms of {more['title']}.",
    "participation.admit": lambda more: f"admitted the team to {more['title']}.",
    "participation.refuse": lambda more: (
        f"did not admit the team to {more['title']}. Reason: {more['reason']}"
    ),
    "participation.withdraw": lambda more: (
        f"withdrew the admission to {more['title']}. Reason: {more['reason']}"
    ),
    "team.hand_over": lambda more: f"handed the team over to {more.get('person', 'a member')}.",
}
_OF_SUBMISSION = {
    "submission.accept": "submitted {}.",
    "submission.retry": "had what failed of {} computed again.",
    "submission.withdraw": "withdrew {}.",
    "submission.take_back": "took {} back.",
    "submission.choose": "chose {} to count.",
    "submission.describe": "edited the description of {}.",
    "submission.disqualify": "disqualified {}.",
    "submission.restore": "restored {}.",
    "submission.mark": "changed whether {} competes or is a baseline.",
}
_OF_ORGANISERS = {
    "submission.disqualify",
    "submission.restore",
    "submission.mark",
    "participation.admit",
    "participation.refuse",
    "participation.withdraw",
}
MOST = 200


def team_history(team: Team) -> tuple[TeamEvent, ...]:
    """What was done in a team and with its submissions, the latest first, up to ``MOST``.

    An address that another team had before belongs to this one from its making on.
    """
    names = dict(Submission.objects.filter(team=team).values_list("public_id", "system_name"))
    made = AuditEvent.objects.filter(target=team.slug, action="team.create").order_by("-at").first()
    # Its history has it a little before its row.
    since = team.created_at if made is None else min(made.at, team.created_at)
    events = (
        AuditEvent.objects.filter(
            Q(target=team.slug, action__in=_OF_TEAM, at__gte=since)
            | Q(target__in=list(names), action__in=_OF_SUBMISSION)
        )
        .select_related("actor")
        .order_by("-at", "-pk")[:MOST]
    )
    return tuple(_done(event, names) for event in events)


def _done(event: AuditEvent, names: Mapping[str, str]) -> TeamEvent:
    who = _who(event)
    if event.action in _OF_TEAM:
        return TeamEvent(event.at, f"{who} {_OF_TEAM[event.action](event.details)}")
    sentence = _OF_SUBMISSION[event.action].format(names[event.target])
    if event.details.get("reason"):
        sentence = f"{sentence} Reason: {event.details['reason']}"
    return TeamEvent(event.at, f"{who} {sentence}", event.target)


def _who(event: AuditEvent) -> str:
    if event.actor_id is None:
        return SYSTEM
    if event.action in _OF_ORGANISERS:
        return ORGANISER
    return NOBODY if event.actor is None else event.actor.username
