"""A person's account: its facts, what keeps it from being deleted, and all of its data."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.urls import reverse

from leaderboard.models import (
    AnnouncementOptOut,
    AuditEvent,
    Challenge,
    ChallengeParticipation,
    Membership,
    Notice,
    Submission,
    Team,
    TeamRole,
    User,
)
from leaderboard.web.extensions import AccountTie, account_ties


def account_facts(user: User) -> dict[str, Any]:
    """What the account page shows at one glance.

    ``email`` is unsaved where only the user has the address, as when a command made the account.
    """
    addresses = list(EmailAddress.objects.filter(user=user).order_by("-primary", "pk"))
    own = EmailAddress(user=user, email=user.email) if user.email else None
    return {
        "email": addresses[0] if addresses else own,
        "other_emails": max(0, len(addresses) - 1),
        "factors": _factors(user),
        "elsewhere": SocialAccount.objects.filter(user=user).count(),
        "tokens": user.api_tokens.count(),
        "unconfirmed": unconfirmed(user),
    }


def unconfirmed(user: User) -> bool:
    """Whether a person's address is unconfirmed, where the site confirms addresses.

    It may be somebody else's. An address that an administrator gave counts as confirmed.
    """
    if settings.ACCOUNT_EMAIL_VERIFICATION == "none":
        return False
    rows = EmailAddress.objects.filter(user=user, email__iexact=user.email, verified=False)
    return bool(rows.exists())


def _factors(user: User) -> tuple[str, ...]:
    types = list(Authenticator.objects.filter(user=user).values_list("type", flat=True))
    keys = types.count(Authenticator.Type.WEBAUTHN)
    factors = ["authenticator app"] if Authenticator.Type.TOTP in types else []
    if keys:
        factors.append("a security key" if keys == 1 else f"{keys} security keys")
    return tuple(factors)


def ties_of(user: User) -> list[AccountTie]:
    """List what keeps a person's account from being deleted."""
    ties = [
        AccountTie(
            f"This account is the only owner of {team.name}, which has other members.",
            "Make one of them an owner first.",
            team.name,
            reverse("leaderboard:team", args=[team.slug]),
        )
        for team in _orphaned_teams(user)
    ]
    ties += [
        AccountTie(
            f"This account is the only organiser of {challenge.title}.",
            "Hand it over to another organiser first.",
            "Its people",
            reverse("leaderboard:manage-people", args=[challenge.slug]),
        )
        for challenge in _orphaned_challenges(user)
    ]
    ties += [tie for find_ties in account_ties for tie in find_ties(user)]
    others = User.objects.filter(is_superuser=True, is_active=True).exclude(pk=user.pk)
    if user.is_superuser and not others.exists():
        ties.append(
            AccountTie(
                "This account is the only one with all rights here.",
                "Give them to someone else first.",
            )
        )
    return ties


def teams_alone_in(user: User) -> QuerySet[Team]:
    """The teams of which a person is the only member."""
    return Team.objects.annotate(people=Count("memberships")).filter(
        people=1, memberships__user=user
    )


def _orphaned_teams(user: User) -> QuerySet[Team]:
    beside = Membership.objects.filter(team=OuterRef("pk")).exclude(user=user)
    owned = Team.objects.filter(memberships__user=user, memberships__role=TeamRole.OWNER)
    return owned.filter(
        Exists(beside), ~Exists(beside.filter(role=TeamRole.OWNER, user__is_active=True))
    )


def _orphaned_challenges(user: User) -> QuerySet[Challenge]:
    others = Q(organisers__is_active=True) & ~Q(organisers=user)
    return (
        Challenge.objects.filter(pk__in=user.organised_challenges.values("pk"))
        .annotate(others=Count("organisers", filter=others))
        .filter(others=0)
    )


Record: TypeAlias = Mapping[str, object]
# One object, or the rows of a list as they come.
Part: TypeAlias = Record | Iterable[Record]

_SUBMISSION = (
    "public_id", "phase__challenge__slug", "phase__slug", "team__slug", "system_name",
    "description", "metadata", "file_name", "file_id", "file__size", "report_name", "report_id",
    "created_at", "withdrawn_at",
)  # fmt: skip


def person_parts(user: User) -> Iterator[tuple[str, Part]]:
    """The parts of a person's data by name; rows are read lazily."""
    yield "profile", _profile(user)
    yield "email_addresses", _rows(EmailAddress, user, "email", "verified", "primary")
    yield "second_factors", _rows(Authenticator, user, "type", "created_at", "last_used_at")
    yield "accounts_elsewhere", _rows(SocialAccount, user, "provider", "uid", "date_joined")
    yield "api_tokens", _rows(user.api_tokens, user, "name", "prefix", "created_at", "last_used_at")
    yield "teams", user.memberships.values("team__slug", "team__name", "role", "joined_at")
    yield "organises", user.organised_challenges.values("slug", "title")
    yield "submissions", _submissions(user)
    participations = ChallengeParticipation.objects.filter(Q(asked_by=user) | Q(accepted_by=user))
    yield (
        "taking_part",
        participations.order_by("pk")
        .values(
            "challenge__slug", "team__slug", "state", "asked_at", "note", "accepted_at", "terms_id"
        )
        .iterator(),
    )
    yield "no_announcements_of", _rows(AnnouncementOptOut, user, "challenge__slug", "at")
    yield "notices", _rows(Notice, user, "kind", "text", "at", "read_at", "mailed_at")
    yield "judgments", user.judgments.values("name", "handed_over_at", "clips", "pairs")
    acts = AuditEvent.objects.filter(actor_id=user.pk).order_by("at", "pk")
    yield "acts", acts.values("at", "action", "target", "details").iterator()


def _profile(user: User) -> Record:
    return {
        "number": user.pk,
        "username": user.username,
        "first_name": user.first_name,
        "last_name": user.last_name,
        "email": user.email,
        "joined_at": user.date_joined,
        "last_login": user.last_login,
        "mail_notices": user.mail_notices,
        "mail_trainings": user.mail_trainings,
        "mail_announcements": user.mail_announcements,
    }


def _rows(table: Any, user: User, *names: str) -> Iterator[Record]:
    rows = table.filter(user=user) if hasattr(table, "filter") else table.objects.filter(user=user)
    yield from rows.order_by("pk").values(*names).iterator()


def _submissions(user: User) -> Iterator[Record]:
    rows = Submission.objects.filter(submitted_by=user).order_by("created_at", "pk")
    teams = set(user.memberships.values_list("team__slug", flat=True))
    for row in rows.values(*_SUBMISSION).iterator():
        if row["team__slug"] not in teams:
            # The team may have written it anew since the person went.
            row["description"] = row["metadata"] = None
        row["file_sha256"], row["report_sha256"] = row.pop("file_id"), row.pop("report_id")
        yield row
