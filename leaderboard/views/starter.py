"""The starter kit of a phase."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from leaderboard import access
from leaderboard.starter.package import kit_name, kit_packed
from leaderboard.web.file_responses import attachment


@require_safe
def starter_kit(request: HttpRequest, challenge: str, phase: str) -> HttpResponse:
    """Download the baselines, with a README of the phase; for everyone who sees the phase."""
    found = access.phase_for(request.user, challenge, phase)
    return attachment(kit_packed(found), f"{kit_name(found)}.zip", "application/zip")
