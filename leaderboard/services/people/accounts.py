"""Changing and deleting accounts, and the personal tokens of the API."""

import secrets
from datetime import datetime

from django.contrib.sessions.models import Session
from django.db import transaction

from leaderboard.models import ApiToken, Challenge, Team, User
from leaderboard.selectors.people.accounts import teams_alone_in, ties_of
from leaderboard.services.audit_log import audit_record
from leaderboard.web.api_auth import token_digest
from leaderboard.web.refusals import Refused


def account_rename(*, user: User, username: str, now: datetime) -> None:
    """Change the user name of an account; the audit log keeps no names of persons."""
    user.username = username
    user.save(update_fields=["username"])
    audit_record("account.rename", f"User {user.pk}", actor=user, now=now)


@transaction.atomic
def account_delete(*, user: User, now: datetime, actor: User | None = None) -> None:
    """Delete an account and what is personal; refused where others would have nobody.

    ``actor`` is who does it, where that is not the person.

    What a team submitted stays, as a result of the challenge, under the team's
    name; a team of this person alone that never submitted is deleted. The audit log
    keeps the person's number.
    """
    # Under these locks nobody joins or leaves meanwhile.
    list(User.objects.select_for_update().filter(pk=user.pk))
    list(Team.objects.select_for_update().filter(members=user).order_by("pk"))
    list(Challenge.objects.select_for_update().filter(organisers=user).order_by("pk"))
    ties = ties_of(user)
    if ties:
        raise Refused(" ".join(f"{tie.what} {tie.remedy}" for tie in ties))
    gone = list(teams_alone_in(user).filter(submissions=None))
    audit_record(
        "account.delete",
        f"User {user.pk}",
        actor=actor or user,
        now=now,
        teams=sorted(team.slug for team in gone),
    )
    number = user.pk
    for team in gone:
        team.delete()
    user.delete()
    # Sessions have to be decoded to be found.
    for session in Session.objects.iterator():
        if session.get_decoded().get("_auth_user_id") == str(number):
            session.delete()


PREFIX = "ear_"


def token_create(*, user: User, name: str) -> tuple[ApiToken, str]:
    """Create a token; the second value is the secret, which is not stored."""
    secret = PREFIX + secrets.token_urlsafe(32)
    token = ApiToken.objects.create(
        user=user, name=name, digest=token_digest(secret), prefix=secret[:9]
    )
    return token, secret


def token_delete(*, token: ApiToken) -> None:
    """Delete a token."""
    token.delete()


def tokens_delete(*, user: User) -> int:
    """Delete every token of a person; returns how many there were."""
    deleted, _ = ApiToken.objects.filter(user=user).delete()
    return deleted
