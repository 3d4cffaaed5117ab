"""The challenges of an organiser: making, text, images, announcements, publishing, deleting."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.text import slugify

from leaderboard import access, tasks
from leaderboard.blueprints import blueprints
from leaderboard.forms.challenges import (
    MAX_TEXT,
    AnnouncementForm,
    ImageForm,
    NewChallengeForm,
    TextForm,
)
from leaderboard.forms.local_time import zone_names
from leaderboard.forms.uploads import parsed_late
from leaderboard.models import Announcement, Challenge, ChallengeImage, User
from leaderboard.selectors.organising.challenges import images_of
from leaderboard.selectors.organising.overview import managed_rows, phase_lines, steps_of
from leaderboard.selectors.people.notices import announcements_with_mails, mailing_of
from leaderboard.selectors.people.participation import waiting_count
from leaderboard.services.organising import challenges as services
from leaderboard.services.organising.edit_conflicts import ChangedMeanwhile
from leaderboard.services.organising.images import image_add, image_delete, logo_choose
from leaderboard.services.people import announcements
from leaderboard.views.pages import (
    act_on,
    asked_rendered,
    conflict_of,
    form_rendered,
    text_rendered,
    with_acts,
)
from leaderboard.web.refusals import refusal_in, refusal_shown, refusal_told
from leaderboard.web.requests import SignedInRequest, signed_in_act, signed_in_form, signed_in_page


@signed_in_page
def challenge_list(request: SignedInRequest) -> HttpResponse:
    """List the challenges that one organises."""
    context = {
        "rows": managed_rows(access.organised_challenges_of(request.user), timezone.now()),
        "may_create": access.may_create_challenges(request.user),
        "sees_labellers": access.may_see_labellers(request.user),
    }
    return render(request, "leaderboard/organising/challenges.html", context)


@signed_in_form("leaderboard.manage", "60/m")
def challenge_create(request: SignedInRequest) -> HttpResponse:
    """Make a challenge that only its organisers see."""
    if not access.may_create_challenges(request.user):
        raise Http404
    form = NewChallengeForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        values = {name: form.cleaned_data[name] for name in ("title", "slug", "time_zone")}
        blueprint = form.chosen
        try:
            made = services.challenge_create(
                published=False,
                summary=blueprint.summary,
                description=blueprint.description,
                phases=blueprint.phases,
                actor=request.user,
                now=timezone.now(),
                **values,
            )
        except ValidationError as error:
            # The address was taken between the look and the act.
            form.add_error(None, error)
        else:
            messages.success(request, f"{made.title} was made. Only its organisers see it yet.")
            return redirect("leaderboard:manage-overview", challenge=made.slug)
    context = {"form": form, "blueprints": blueprints().values(), "zones": zone_names()}
    return form_rendered(request, "leaderboard/organising/challenge_new.html", context)


@act_on(access.organised_challenge_for)
def challenge_publish(request: SignedInRequest, found: Challenge) -> HttpResponse | None:
    """Show a challenge to everyone, or to its organisers alone."""
    published = request.POST.get("published") == "yes"
    with refusal_told(request):
        services.challenge_set_published(
            challenge=found, published=published, actor=request.user, now=timezone.now()
        )
        message = (
            f"{found.title} is published: everyone sees it."
            if published
            else f"{found.title} is not published: only its organisers see it."
        )
        messages.success(request, message)
        return None
    return redirect("leaderboard:manage-text", challenge=found.slug)


@act_on(access.organised_challenge_for)
def challenge_delete(request: SignedInRequest, found: Challenge) -> HttpResponse:
    """Ask whether a challenge is to be deleted, and delete it once that is confirmed."""
    context = {"challenge": found, "not_deletable": services.why_challenge_not_deletable(found)}
    if "confirmed" in request.POST:
        with refusal_shown(context, "not_deletable"):
            services.challenge_delete(challenge=found, actor=request.user, now=timezone.now())
            messages.success(request, f"{found.title} was deleted.")
            return redirect("leaderboard:manage")
    return asked_rendered(request, "leaderboard/organising/challenge_delete.html", context)


@with_acts(publish=challenge_publish, delete=challenge_delete)
@signed_in_page
def overview(request: SignedInRequest, challenge: str) -> HttpResponse:
    """Show how a challenge stands and what it lacks."""
    found = access.organised_challenge_for(request.user, challenge)
    lines = phase_lines(found, timezone.now())
    steps = steps_of(found, lines)
    context = {
        "challenge": found,
        "lines": lines,
        "waiting": waiting_count(found),
        "steps": steps,
        "missing": sum(step.urgency == "missing" for step in steps),
        "not_deletable": services.why_challenge_not_deletable(found),
    }
    return render(request, "leaderboard/organising/overview.html", context)


@signed_in_form("leaderboard.manage", "60/m")
def text(request: SignedInRequest, challenge: str) -> HttpResponse:
    """Write what a challenge is about; ``preview`` shows it without saving."""
    found = access.organised_challenge_for(request.user, challenge)
    form = TextForm(request.POST if request.method == "POST" else None, challenge=found)
    context: dict[str, Any] = {"challenge": found, "form": form, "zones": zone_names()}
    if "preview" not in request.POST and form.is_valid():
        try:
            services.challenge_change(
                challenge=found,
                values={name: form.cleaned_data[name] for name in services.TEXT},
                version=form.cleaned_data["version"],
                accept_anew=form.cleaned_data["accept_anew"],
                actor=request.user,
                now=timezone.now(),
            )
        except ChangedMeanwhile as error:
            stored = TextForm(
                None, challenge=access.organised_challenge_for(request.user, challenge)
            )
            context["conflict"] = conflict_of(error, form, stored, request.POST, target=found)
        else:
            tasks.notices_enqueue()
            messages.success(request, "The text was saved.")
            return redirect("leaderboard:manage-text", challenge=found.slug)
    return text_rendered(request, "leaderboard/organising/text.html", context, "description")


@signed_in_act("leaderboard.preview", "120/m")
def preview(request: SignedInRequest, challenge: str) -> HttpResponse:
    """Show Markdown as readers will see it; nothing is stored."""
    found = access.organised_challenge_for(request.user, challenge)
    written = request.POST.get("description", "") or request.POST.get("body", "")
    context = {"previewed": written[:MAX_TEXT], "images": images_of(found)}
    return render(request, "leaderboard/organising/_text_preview.html", context)


def _image(request: SignedInRequest, challenge: Challenge) -> ChallengeImage:
    rows = ChallengeImage.objects.select_related("challenge").defer("content")
    return get_object_or_404(rows, challenge=challenge, name=slugify(request.POST.get("image", "")))


@act_on(access.organised_challenge_for)
def image_logo(request: SignedInRequest, found: Challenge) -> None:
    """Make an image the challenge's logo, or let it be the logo no more."""
    image, chosen = _image(request, found), request.POST.get("logo") == "yes"
    logo_choose(image=image, chosen=chosen, actor=request.user, now=timezone.now())
    messages.success(
        request, f"{image.name} is the logo now." if chosen else "The challenge has no logo now."
    )


@act_on(access.organised_challenge_for)
def image_remove(request: SignedInRequest, found: Challenge) -> None:
    """Delete an image."""
    image = _image(request, found)
    image_delete(image=image, actor=request.user, now=timezone.now())
    messages.success(request, f"{image.name} was deleted.")


@signed_in_form("leaderboard.manage", "60/m")
@parsed_late
@with_acts(logo=image_logo, delete=image_remove)
def image_list(request: SignedInRequest, challenge: str) -> HttpResponse:
    """Show the images of a challenge; take another."""
    found = access.organised_challenge_for(request.user, challenge)
    form = ImageForm(request.POST, request.FILES) if request.method == "POST" else ImageForm()
    if form.is_valid():
        file = form.cleaned_data["file"]
        with refusal_in(form):
            image = image_add(
                challenge=found,
                file=file,
                file_name=file.name or "",
                actor=request.user,
                now=timezone.now(),
            )
            messages.success(request, f"{image.name} was stored.")
            return redirect("leaderboard:manage-text-images", challenge=found.slug)
    context = {"challenge": found, "images": images_of(found), "form": form}
    return form_rendered(request, "leaderboard/organising/images.html", context)


@signed_in_form("leaderboard.manage", "60/m")
def announcement_list(request: SignedInRequest, challenge: str) -> HttpResponse:
    """List what was told, and tell something new; ``preview`` shows it without telling."""
    found = access.organised_challenge_for(request.user, challenge)
    form = AnnouncementForm(request.POST if request.method == "POST" else None)
    if form.is_valid() and "preview" not in request.POST:
        written = {name: form.cleaned_data[name] for name in announcements.WRITTEN}
        announcements.announcement_create(
            challenge=found, **written, actor=request.user, now=timezone.now()
        )
        seen = "everyone sees it" if found.published else "everyone sees it once it is published"
        messages.success(request, f"Announced: {seen} on the challenge's page.")
        return redirect("leaderboard:manage-announcements", challenge=found.slug)
    template = "leaderboard/organising/announcements.html"
    context = {"challenge": found, "form": form, "announcements": announcements_with_mails(found)}
    return text_rendered(request, template, context, "body")


def _announcement(user: User, challenge: str, pk: int) -> Announcement:
    found = access.organised_challenge_for(user, challenge)
    rows = Announcement.objects.select_related("challenge")
    return get_object_or_404(rows, challenge=found, pk=pk)


@act_on(_announcement)
def announcement_delete(request: SignedInRequest, found: Announcement) -> HttpResponse:
    """Take away what was told."""
    announcements.announcement_delete(announcement=found, actor=request.user, now=timezone.now())
    messages.success(request, f"{found.title} was deleted. The audit log keeps it.")
    return redirect("leaderboard:manage-announcements", challenge=found.challenge.slug)


@act_on(_announcement, "leaderboard.manage", "60/m")
def announcement_mail(request: SignedInRequest, found: Announcement) -> None:
    """Send an announcement by e-mail to who takes part, once."""
    mails = announcements.announcement_mail(
        announcement=found, actor=request.user, now=timezone.now()
    )
    tasks.notices_enqueue()
    people = "1 person" if mails == 1 else f"{mails:,} people"
    messages.success(request, f"{found.title} is being sent to {people}.")


@with_acts(delete=announcement_delete, mail=announcement_mail)
@signed_in_form("leaderboard.manage", "60/m")
def announcement_change(request: SignedInRequest, challenge: str, pk: int) -> HttpResponse:
    """Correct what was told."""
    announcement = _announcement(request.user, challenge, pk)
    found = announcement.challenge
    data = request.POST if request.method == "POST" else None
    form = AnnouncementForm(data, announcement=announcement)
    context: dict[str, Any] = {
        "challenge": found,
        "form": form,
        "announcement": announcement,
        "mailing": mailing_of(announcement),
    }
    if form.is_valid() and "preview" not in request.POST:
        try:
            announcements.announcement_change(
                announcement=announcement,
                **form.cleaned_data,
                actor=request.user,
                now=timezone.now(),
            )
        except ChangedMeanwhile as error:
            stored = AnnouncementForm(None, announcement=_announcement(request.user, challenge, pk))
            target = announcement
            context["conflict"] = conflict_of(error, form, stored, request.POST, target=target)
        else:
            messages.success(request, "The announcement was corrected.")
            return redirect("leaderboard:manage-announcements", challenge=found.slug)
    return text_rendered(request, "leaderboard/organising/announcement.html", context, "body")
