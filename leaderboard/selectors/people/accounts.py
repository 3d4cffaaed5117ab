"""What there is of a person's account."""

from dataclasses import dataclass

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.urls import reverse

from leaderboard.models import Challenge, Membership, Team, TeamRole, User
from leaderboard.web.extensions import AccountTie, account_ties


@dataclass(frozen=True, slots=True)
class AccountFacts:
    """What the account page shows at one glance."""

    email: EmailAddress | None
    other_emails: int
    factors: tuple[str, ...]
    elsewhere: int
    tokens: int
    unconfirmed: bool


def account_facts(user: User) -> AccountFacts:
    """Gather the facts of an account."""
    addresses = list(EmailAddress.objects.filter(user=user).order_by("-primary", "pk"))
    return AccountFacts(
        email=addresses[0] if addresses else None,
        other_emails=max(0, len(addresses) - 1),
        factors=_factors(user),
        elsewhere=SocialAccount.objects.filter(user=user).count(),
        tokens=user.api_tokens.count(),
        unconfirmed=unconfirmed(user),
    )


def unconfirmed(user: User) -> bool:
    """Tell whether nobody has confirmed the address of a person, where addresses are confirmed.

    It may be somebody else's. An address that an administrator gave counts as confirmed.
    """
    if settings.ACCOUNT_EMAIL_VERIFICATION == "none":
        return False
    rows = EmailAddress.objects.filter(user=user, email__iexact=user.email, verified=False)
    return bool(rows.exists())


def _factors(user: User) -> tuple[str, ...]:
    types = list(Authenticator.objects.filter(user=user).values_list("type", flat=True))
    keys = types.count(Authenticator.Type.WEBAUTHN)
    found = ["authenticator app"] if Authenticator.Type.TOTP in types else []
    if keys:
        found.append("a security key" if keys == 1 else f"{keys} security keys")
    return tuple(found)


def ties_of(user: User) -> list[AccountTie]:
    """List what keeps a person's account from being deleted."""
    ties = [
        AccountTie(
            f"You are the only owner of {team.name}, which has other members.",
            "Make one of them an owner first.",
            team.name,
            reverse("leaderboard:team", args=[team.slug]),
        )
        for team in _orphaned_teams(user)
    ]
    ties += [
        AccountTie(
            f"You are the only organiser of {challenge.title}.",
            "Hand it over to another organiser first.",
            "Its people",
            reverse("leaderboard:manage-people", args=[challenge.slug]),
        )
        for challenge in _orphaned_challenges(user)
    ]
    ties += [tie for find_ties in account_ties for tie in find_ties(user)]
    if user.is_superuser and not _others_run_the_site(user):
        ties.append(
            AccountTie(
                "You are the only one with all rights here.", "Give them to someone else first."
            )
        )
    return ties


def teams_alone_in(user: User) -> QuerySet[Team]:
    """Give the teams of which a person is the only member."""
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


def _others_run_the_site(user: User) -> bool:
    return User.objects.filter(is_superuser=True, is_active=True).exclude(pk=user.pk).exists()
