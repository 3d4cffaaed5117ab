"""Who gets the announcements of a challenge by e-mail, and the links that end that."""

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core import signing
from django.db.models import Exists, OuterRef, QuerySet
from django.urls import reverse

from leaderboard.models import AnnouncementOptOut, Challenge, User
from leaderboard.selectors.people.participation import people_taking_part

_SALT = "leaderboard.announcements.unsubscribe"


def mailed_people(challenge: Challenge) -> QuerySet[User]:
    """Of those who take part, who wants announcements by e-mail and has a confirmed address."""
    opted_out = AnnouncementOptOut.objects.filter(user=OuterRef("pk"), challenge=challenge)
    people = people_taking_part(challenge).filter(
        ~Exists(opted_out), mail_notices=True, mail_announcements=True
    )
    if settings.ACCOUNT_EMAIL_VERIFICATION != "none":
        unconfirmed = EmailAddress.objects.filter(
            user=OuterRef("pk"), email__iexact=OuterRef("email"), verified=False
        )
        people = people.filter(~Exists(unconfirmed))
    return people.exclude(email="")


def opted_out(user: User, challenge: Challenge) -> bool:
    """Whether a person wants no announcements of this challenge by e-mail."""
    return AnnouncementOptOut.objects.filter(user=user, challenge=challenge).exists()


def opt_outs_of(user: User) -> QuerySet[AnnouncementOptOut]:
    """The challenges of which a person wants no announcements by e-mail."""
    return AnnouncementOptOut.objects.filter(user=user).select_related("challenge")


def unsubscribe_address(user: User, challenge: Challenge) -> str:
    """The address that ends announcements of one challenge to one person, without a log-in."""
    token = signing.dumps([user.pk, challenge.pk], salt=_SALT)
    return f"{settings.SITE_URL}{reverse('leaderboard:unsubscribe', args=[token])}"


def unsubscribe_target(token: str) -> tuple[User, Challenge] | None:
    """Whom and what such an address is about; None where it was not made here or they are gone."""
    try:
        user, challenge = signing.loads(token, salt=_SALT)
    except signing.BadSignature:
        return None
    found = User.objects.filter(pk=user).first(), Challenge.objects.filter(pk=challenge).first()
    return None if found[0] is None or found[1] is None else (found[0], found[1])
