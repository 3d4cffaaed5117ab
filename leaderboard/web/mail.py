"""Mail that answers what somebody did, sent at once or kept for later; invitations by link."""

import logging
from collections.abc import Mapping
from datetime import timedelta
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.mail import EmailMessage
from django.http import HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils import timezone

from leaderboard.models import WaitingMail
from leaderboard.web.requests import SignedInRequest

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


def invitation_mail(
    request: SignedInRequest, *, email: str, subject: str, template: str, context: Mapping[str, Any]
) -> None:
    """Send an invitation, and say so on the next page.

    What it says is the same whether or not the address has an account.
    """
    names = {"by": request.user.get_username(), "site_name": settings.SITE_NAME}
    body = render_to_string(template, {**context, **names})
    subject = f"{subject} on {settings.SITE_NAME}"
    if mail_send(EmailMessage(subject, body, to=[email]), keep=LINKS_KEPT):
        messages.success(request, f"An invitation is on its way to {email}.")
        return
    advice = "It is tried again for two hours; or send the link below yourself."
    messages.warning(request, f"{email} is invited. The mail could not be sent yet. {advice}")


def link_invalid(
    request: SignedInRequest, error: Exception, *, back: str, label: str
) -> HttpResponse:
    """Answer 404 with why a link does not work, and a way back to a named address."""
    context = {"invalid": str(error), "back": back, "label": label}
    return render(
        request, "leaderboard/people/link_invalid.html", context, status=HTTPStatus.NOT_FOUND
    )
