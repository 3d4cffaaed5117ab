"""Creating teams, and changing their names."""

from collections.abc import Collection, Iterable
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.text import slugify

from leaderboard.models import Membership, Team, TeamRole, User
from leaderboard.models.public_id import public_id
from leaderboard.selectors.people.teams import owned_team_count, phases_fixing_name
from leaderboard.services.audit_log import audit_record
from leaderboard.web.public_names import is_sites_own, name_key
from leaderboard.web.refusals import Refused

# Addresses of pages beside the teams' own.
RESERVED_SLUGS = {"new", "join"}
# Where teams do not share a quota, who could make teams without end would have none.
MAX_OWNED = 10


def team_create(*, name: str, affiliation: str, owner: User | None, now: datetime) -> Team:
    """Create a team with its first owner; refused where its name is taken or they own too many.

    ``owner`` None makes a team without members, to which organisers add people.
    """
    _refuse_taken(name, Team.objects.values_list("name", flat=True))
    slug = slugify(name)[:40] or public_id()
    if slug in RESERVED_SLUGS or Team.objects.filter(slug=slug).exists():
        slug = f"{slug}-{public_id()[:4]}"
    try:
        with transaction.atomic():
            if owner is not None:
                _refuse_more(owner)
            team = Team.objects.create(
                name=name, slug=slug, affiliation=affiliation, created_by=owner
            )
            if owner is not None:
                Membership.objects.create(team=team, user=owner, role=TeamRole.OWNER)
            audit_record(at=now, actor=owner, action="team.create", target=team.slug)
    except IntegrityError as error:
        raise _taken(name) from error
    return team


def team_edit(
    *,
    team: Team,
    name: str,
    affiliation: str,
    actor: User,
    organised: Collection[int],
    now: datetime,
) -> bool:
    """Change a team's name and affiliation; returns whether anything changed.

    Refused where the name is taken, or the team is ranked in a phase that is closed or frozen,
    unless ``actor`` runs its challenge: ``organised`` holds the ids of the challenges that they
    run. The address stays as it is.
    """
    try:
        with transaction.atomic():
            current = Team.objects.select_for_update().get(pk=team.pk)
            before = {"name": current.name, "affiliation": current.affiliation}
            after = {"name": name, "affiliation": affiliation}
            if before == after:
                return False
            fixing = phases_fixing_name(team=current, now=now).exclude(challenge__in=organised)
            if (phase := fixing.first()) is not None:
                why = "is frozen" if phase.frozen_at is not None else "is closed"
                raise Refused(
                    f"{current.name} is ranked under its present name and affiliation in {phase}, "
                    f"which {why}. Ask the organisers to change them."
                )
            _refuse_taken(name, Team.objects.exclude(pk=team.pk).values_list("name", flat=True))
            Team.objects.filter(pk=team.pk).update(**after)
            audit_record(
                at=now,
                actor=actor,
                action="team.edit",
                target=current.slug,
                before=before,
                after=after,
            )
    except IntegrityError as error:
        raise _taken(name) from error
    return True


def _refuse_taken(name: str, others: Iterable[str]) -> None:
    # Databases compare without case each in its own way, and none sees wide letters.
    if is_sites_own(name) or name_key(name) in map(name_key, others):
        raise _taken(name)


def _taken(name: str) -> Refused:
    return Refused(f"There is already a team called {name!r}. Choose another name.", field="name")


def _refuse_more(owner: User) -> None:
    """Under the lock a person's requests wait for each other."""
    list(User.objects.select_for_update().filter(pk=owner.pk))
    if owned_team_count(owner) >= MAX_OWNED:
        raise Refused(
            f"You already own {MAX_OWNED} teams, and nobody may own more. Submit for one of them.",
            field="name",
        )
