"""The page of a form that is not accepted, for ``CSRF_FAILURE_VIEW``."""

import logging
from http import HTTPStatus

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

logger = logging.getLogger(__name__)

_FOREIGN = ("Origin checking failed", "Referer checking failed")


def form_refused(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer 403 with why: the form came from another address, or is too old."""
    sent = ""
    if reason.startswith(_FOREIGN):
        sent = (request.headers.get("Origin") or request.headers.get("Referer", ""))[:200]
        logger.warning(
            "A form came from %r and was refused: the site is at %s. If people open the site at "
            "the first address, set SITE_URL to it.",
            sent,
            settings.SITE_URL,
        )
    context = {"sent": sent, "site_url": settings.SITE_URL}
    return render(request, "403_csrf.html", context, status=HTTPStatus.FORBIDDEN)
