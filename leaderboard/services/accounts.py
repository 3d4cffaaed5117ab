"""Changing and deleting one's own account."""

from datetime import datetime

from django.contrib.sessions.models import Session
from django.db import transaction

from leaderboard.models import Challenge, Team, User
from leaderboard.selectors.accounts import Tie, teams_alone_in, ties_of
from leaderboard.services.audit import audit_record


class AccountTied(Exception):
    """Others would be left without anyone who runs what they are in."""

    def __init__(self, ties: list[Tie]) -> None:
        super().__init__(" ".join(f"{tie.what} {tie.remedy}" for tie in ties))
        self.ties = ties


def account_rename(*, user: User, username: str, now: datetime) -> None:
    """Give the account another user name; the trail keeps no names of persons."""
    user.username = username
    user.save(update_fields=["username"])
    audit_record(at=now, actor=user, action="account.rename", target=f"User {user.pk}")


@transaction.atomic
def account_delete(*, user: User, now: datetime) -> None:
    """Delete an account and what is personal, or raise ``AccountTied``.

    What a team submitted stays, as a result of the challenge, under the team's
    name; a team of this person alone that never submitted goes. The audit trail
    keeps the person's number.
    """
    _hold(user)
    ties = ties_of(user)
    if ties:
        raise AccountTied(ties)
    gone = list(teams_alone_in(user).filter(submissions=None))
    audit_record(
        at=now,
        actor=user,
        action="account.delete",
        target=f"User {user.pk}",
        teams=sorted(team.slug for team in gone),
    )
    number = user.pk
    for team in gone:
        team.delete()
    user.delete()
    _sessions_end(number)


def _hold(user: User) -> None:
    """Let nobody join, leave or hand over meanwhile."""
    list(User.objects.select_for_update().filter(pk=user.pk))
    list(Team.objects.select_for_update().filter(members=user).order_by("pk"))
    list(Challenge.objects.select_for_update().filter(organisers=user).order_by("pk"))


def _sessions_end(number: int) -> None:
    """Delete the sessions of a person; they hold nothing else by which to find them."""
    for session in Session.objects.iterator():
        if session.get_decoded().get("_auth_user_id") == str(number):
            session.delete()
