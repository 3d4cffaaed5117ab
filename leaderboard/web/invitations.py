"""What invitations by link have in common: the mail, and the page of a link that does not work."""

import logging
from collections.abc import Mapping
from http import HTTPStatus
from smtplib import SMTPException
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.mail import send_mail
from django.http import HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string

from leaderboard.web.requests import SignedInRequest

logger = logging.getLogger(__name__)


def invitation_mail(
    request: SignedInRequest, *, email: str, subject: str, template: str, context: Mapping[str, Any]
) -> None:
    """Send an invitation, and say so on the next page.

    What it says is the same whether or not the address has an account.
    """
    names = {"by": request.user.get_username(), "site_name": settings.SITE_NAME}
    body = render_to_string(template, {**context, **names})
    subject = f"{subject} on {settings.SITE_NAME}"
    try:
        send_mail(subject, body, settings.DEFAULT_FROM_EMAIL, [email])
    except (OSError, SMTPException):
        logger.exception("an invitation could not be mailed")
        advice = "The mail could not be sent. Send the link below yourself."
        messages.warning(request, f"{email} is invited. {advice}")
    else:
        messages.success(request, f"An invitation is on its way to {email}.")


def link_invalid(
    request: SignedInRequest, error: Exception, *, back: str, label: str
) -> HttpResponse:
    """Answer 404 with why a link does not work, and a way back to a named address."""
    context = {"invalid": str(error), "back": back, "label": label}
    return render(
        request, "leaderboard/people/link_invalid.html", context, status=HTTPStatus.NOT_FOUND
    )
