"""What invitations by link have in common: the mail, and the page of a link that does not work."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.mail import EmailMessage
from django.http import HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string

from leaderboard.web.mail import LINKS_KEPT, mail_send
from leaderboard.web.requests import SignedInRequest


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
