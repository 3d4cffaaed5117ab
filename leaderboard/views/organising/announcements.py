"""What organisers tell everyone."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone

from leaderboard import access, tasks
from leaderboard.forms.challenges import AnnouncementForm
from leaderboard.models import Announcement, Challenge
from leaderboard.selectors.people.notices import announcements_with_mails, mailing_of
from leaderboard.services.organising import announcements as services
from leaderboard.services.organising.edit_conflicts import ChangedMeanwhile
from leaderboard.services.people import announcement_mail as mailing
from leaderboard.views.organising.edit_conflicts import Conflict, conflict_of
from leaderboard.views.pages import text_rendered
from leaderboard.web.refusals import refusal_told
from leaderboard.web.requests import SignedInRequest, signed_in_act, signed_in_form


@signed_in_form("leaderboard.manage", "60/m")
def announcement_list(request: SignedInRequest, challenge: str) -> HttpResponse:
    """List what was told, and tell something new; ``preview`` shows it without telling."""
    found = access.organised_challenge_for(request.user, challenge)
    form = AnnouncementForm(request.POST if request.method == "POST" else None)
    if form.is_valid() and "preview" not in request.POST:
        written = {name: form.cleaned_data[name] for name in services.WRITTEN}
        services.announcement_create(
            challenge=found, **written, actor=request.user, now=timezone.now()
        )
        seen = "everyone sees it" if found.published else "everyone sees it once it is published"
        messages.success(request, f"Announced: {seen} on the page of the challenge.")
        return redirect("leaderboard:manage-announcements", challenge=found.slug)
    template = "leaderboard/organising/announcements.html"
    context = {"challenge": found, "form": form, "announcements": announcements_with_mails(found)}
    return text_rendered(request, template, context, "body")


@signed_in_form("leaderboard.manage", "60/m")
def announcement_change(request: SignedInRequest, challenge: str, pk: int) -> HttpResponse:
    """Correct what was told."""
    found = access.organised_challenge_for(request.user, challenge)
    announcement = _own(found, pk)
    data = request.POST if request.method == "POST" else None
    form = AnnouncementForm(data, announcement=announcement)
    context: dict[str, Any] = {
        "challenge": found,
        "form": form,
        "announcement": announcement,
        "mailing": mailing_of(announcement),
    }
    if form.is_valid() and "preview" not in request.POST:
        conflict = _save(request, announcement, form)
        if conflict is None:
            messages.success(request, "The announcement was corrected.")
            return redirect("leaderboard:manage-announcements", challenge=found.slug)
        context |= {"conflict": conflict, "form": conflict.form}
    return text_rendered(request, "leaderboard/organising/announcement.html", context, "body")


def _save(
    request: SignedInRequest, announcement: Announcement, form: AnnouncementForm
) -> Conflict | None:
    now = timezone.now()
    try:
        services.announcement_change(
            announcement=announcement, **form.cleaned_data, actor=request.user, now=now
        )
    except ChangedMeanwhile as error:
        fresh = _own(announcement.challenge, announcement.pk)
        return conflict_of(
            error,
            form,
            AnnouncementForm(None, announcement=fresh),
            request.POST,
            target=services.announcement_target(fresh),
        )
    return None


@signed_in_act()
def announcement_delete(request: SignedInRequest, challenge: str, pk: int) -> HttpResponse:
    """Take away what was told."""
    found = access.organised_challenge_for(request.user, challenge)
    announcement = _own(found, pk)
    services.announcement_delete(announcement=announcement, actor=request.user, now=timezone.now())
    messages.success(request, f"{announcement.title} was deleted. The audit log keeps it.")
    return redirect("leaderboard:manage-announcements", challenge=found.slug)


@signed_in_act("leaderboard.manage", "60/m")
def announcement_mail(request: SignedInRequest, challenge: str, pk: int) -> HttpResponse:
    """Send an announcement by e-mail to who takes part, once."""
    found = access.organised_challenge_for(request.user, challenge)
    announcement = _own(found, pk)
    with refusal_told(request):
        mails = mailing.announcement_mail(
            announcement=announcement, actor=request.user, now=timezone.now()
        )
        tasks.notices_enqueue()
        people = "1 person" if mails == 1 else f"{mails:,} people"
        messages.success(request, f"{announcement.title} is being sent to {people}.")
    return redirect("leaderboard:manage-announcement", challenge=found.slug, pk=pk)


def _own(challenge: Challenge, pk: int) -> Announcement:
    return get_object_or_404(
        Announcement.objects.select_related("challenge"), challenge=challenge, pk=pk
    )
