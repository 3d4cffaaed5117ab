"""Mail that answers what somebody did: sent at once, or kept where the server does not take it."""

import logging
from datetime import timedelta

from django.core.mail import EmailMessage
from django.utils import timezone

from leaderboard.models import WaitingMail

logger = logging.getLogger(__name__)

# For how long a mail is tried again. A link that lets people in is stored no longer.
LINKS_KEPT, NEWS_KEPT = timedelta(hours=2), timedelta(days=1)


def mail_send(message: EmailMessage, *, keep: timedelta) -> bool:
    """Send a mail to one address; False where that failed, and the sweep tries again.

    ``services.people.notices`` sends what is kept, beside the notices.
    """
    try:
        message.send()
    except (OSError, ValueError):  # OSError: all that smtplib raises, too
        logger.exception("A mail could not be sent; it is tried again")
    else:
        return True
    now = timezone.now()
    WaitingMail.objects.create(
        to=message.to[0],
        subject=str(message.subject),
        body=str(message.body),
        expires_at=now + keep,
        mail_due_at=now,
    )
    return False
