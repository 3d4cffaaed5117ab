"""The audit log of a challenge, to read and to take away."""

import json
from collections.abc import Iterator
from datetime import UTC
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard import access
from leaderboard.forms.judging import AuditLogForm
from leaderboard.models import AuditEvent
from leaderboard.selectors.organising.audit_log import PAGE, acts_of, audit_lines, events_of
from leaderboard.views.pages import csv_streamed, in_chunks
from leaderboard.web.csv_cells import csv_line, without_formula
from leaderboard.web.requests import SignedInRequest, signed_in_page

COLUMNS = ("at", "person", "act", "about", "sentence", "details")


@signed_in_page
def audit(request: SignedInRequest, challenge: str) -> HttpResponse:
    """Show what was done in a challenge, the latest first."""
    found = access.organised_challenge_for(request.user, challenge)
    form = AuditLogForm(request.GET, acts=acts_of(found))
    page = Paginator(events_of(found, **form.asked), PAGE).get_page(request.GET.get("page"))
    context = {
        "challenge": found,
        "form": form,
        "page": page,
        "events": list(audit_lines(page.object_list)),
        "filtered": bool(form.kept),
        "query": urlencode(form.kept),
    }
    return render(request, "leaderboard/organising/audit_log.html", context)


@login_required
@require_safe
def audit_csv(request: SignedInRequest, challenge: str) -> HttpResponseBase:
    """Send all matching events as CSV."""
    found = access.organised_challenge_for(request.user, challenge)
    form = AuditLogForm(request.GET, acts=acts_of(found))
    return csv_streamed(_lines(events_of(found, **form.asked)), f"{found.slug}-audit.csv")


def _lines(rows: QuerySet[AuditEvent]) -> Iterator[str]:
    yield csv_line(COLUMNS)
    for chunk in in_chunks(rows):
        for event, line in zip(chunk, audit_lines(chunk), strict=True):
            cells = (
                event.at.astimezone(UTC).isoformat(timespec="seconds"),
                line.who,
                event.action,
                event.target,
                line.sentence,
                json.dumps(event.details, ensure_ascii=False, sort_keys=True),
            )
            yield csv_line(map(without_formula, cells))
