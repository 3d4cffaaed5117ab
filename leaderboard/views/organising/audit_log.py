"""The audit log of a challenge, to read and to take away."""

import json
from collections.abc import Iterator
from datetime import UTC
from itertools import islice
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard import access
from leaderboard.forms.judging import AuditLogForm
from leaderboard.models import AuditEvent
from leaderboard.selectors.organising.audit_log import PAGE, acts_of, audit_lines, events_of
from leaderboard.views.pages import signed_in_page
from leaderboard.web.csv_cells import csv_line, without_formula
from leaderboard.web.requests import SignedInRequest

COLUMNS = ("at", "person", "act", "about", "sentence", "details")
CHUNK = 500


@signed_in_page
def audit(request: SignedInRequest, challenge: str) -> HttpResponse:
    """Show what was done in a challenge, the latest first."""
    found = access.organised_challenge_for(request.user, challenge)
    form = AuditLogForm(request.GET, acts=acts_of(found))
    page = Paginator(events_of(found, form.query()), PAGE).get_page(request.GET.get("page"))
    asked = {name: request.GET[name] for name in form.fields if request.GET.get(name)}
    context = {
        "challenge": found,
        "form": form,
        "page": page,
        "events": list(audit_lines(page.object_list)),
        "filtered": bool(asked),
        "query": urlencode(asked),
    }
    return render(request, "leaderboard/organising/audit_log.html", context)


@login_required
@require_safe
def audit_csv(request: SignedInRequest, challenge: str) -> HttpResponseBase:
    """Send all matching events as CSV."""
    found = access.organised_challenge_for(request.user, challenge)
    form = AuditLogForm(request.GET, acts=acts_of(found))
    return StreamingHttpResponse(
        _lines(events_of(found, form.query())),
        content_type="text/csv; charset=utf-8",
        headers={
            "Content-Disposition": f'attachment; filename="{found.slug}-audit.csv"',
            "X-Content-Type-Options": "nosniff",
            "Cache-Control": "private, no-store",
        },
    )


def _lines(rows: QuerySet[AuditEvent]) -> Iterator[str]:
    yield csv_line(COLUMNS)
    events = rows.iterator(chunk_size=CHUNK)
    while chunk := list(islice(events, CHUNK)):
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
