"""The challenges of an organiser: list, making, text, images and logo, publishing, deleting."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone

from leaderboard import access, tasks
from leaderboard.blueprints import blueprints
from leaderboard.forms.challenges import MAX_TEXT, ImageForm, NewChallengeForm, TextForm
from leaderboard.forms.local_time import zone_names
from leaderboard.forms.uploads import parsed_late
from leaderboard.models import ChallengeImage
from leaderboard.selectors.organising.images import images_of
from leaderboard.selectors.organising.overview import managed_rows, phase_lines, steps_of
from leaderboard.selectors.people.participation import waiting_count
from leaderboard.services.organising import challenges as services
from leaderboard.services.organising.challenges import (
    TEXT,
    challenge_begin,
    challenge_change,
    challenge_set_published,
)
from leaderboard.services.organising.edit_conflicts import ChangedMeanwhile
from leaderboard.services.organising.images import image_add, image_delete, logo_choose
from leaderboard.views.organising.edit_conflicts import Conflict, conflict_of
from leaderboard.views.pages import asked_rendered, form_rendered, refusal_shown, text_rendered
from leaderboard.web.refusals import refusal_in, refusal_told
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
        try:
            made = challenge_begin(
                blueprint=form.chosen, actor=request.user, now=timezone.now(), **values
            )
        except ValidationError as error:
            # The address was taken between the look and the act.
            form.add_error(None, error)
        else:
            messages.success(request, f"{made.title} was made. Only its organisers see it yet.")
            return redirect("leaderboard:manage-overview", challenge=made.slug)
    context = {"form": form, "blueprints": blueprints().values(), "zones": zone_names()}
    return form_rendered(request, "leaderboard/organising/challenge_new.html", context)


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


@signed_in_act()
def publish(request: SignedInRequest, challenge: str) -> HttpResponse:
    """Show a challenge to everyone, or to its organisers alone."""
    found = access.organised_challenge_for(request.user, challenge)
    published = request.POST.get("published") == "yes"
    with refusal_told(request):
        challenge_set_published(
            challenge=found, published=published, actor=request.user, now=timezone.now()
        )
        message = (
            f"{found.title} is published: everyone sees it."
            if published
            else f"{found.title} is not published: only its organisers see it."
        )
        messages.success(request, message)
        return redirect("leaderboard:manage-overview", challenge=found.slug)
    return redirect("leaderboard:manage-text", challenge=found.slug)


@signed_in_form()
def challenge_delete(request: SignedInRequest, challenge: str) -> HttpResponse:
    """Ask whether a challenge is to be deleted, and delete it."""
    found = access.organised_challenge_for(request.user, challenge)
    context = {"challenge": found, "not_deletable": services.why_challenge_not_deletable(found)}
    if request.method == "POST":
        with refusal_shown(context, "not_deletable"):
            services.challenge_delete(challenge=found, actor=request.user, now=timezone.now())
            messages.success(request, f"{found.title} was deleted.")
            return redirect("leaderboard:manage")
    return asked_rendered(request, "leaderboard/organising/challenge_delete.html", context)


@signed_in_form("leaderboard.manage", "60/m")
def text(request: SignedInRequest, challenge: str) -> HttpResponse:
    """Write what a challenge is about; ``preview`` shows it without saving."""
    found = access.organised_challenge_for(request.user, challenge)
    form = TextForm(request.POST if request.method == "POST" else None, challenge=found)
    context: dict[str, Any] = {"challenge": found, "form": form, "zones": zone_names()}
    if "preview" not in request.POST and form.is_valid():
        conflict = _save(request, found.slug, form)
        if conflict is None:
            tasks.notices_enqueue()
            messages.success(request, "The text was saved.")
            return redirect("leaderboard:manage-text", challenge=found.slug)
        context |= {"conflict": conflict, "form": conflict.form}
    return text_rendered(request, "leaderboard/organising/text.html", context, "description")


def _save(request: SignedInRequest, slug: str, form: TextForm) -> Conflict | None:
    found = access.organised_challenge_for(request.user, slug)
    values = {name: form.cleaned_data[name] for name in TEXT}
    try:
        challenge_change(
            challenge=found,
            values=values,
            version=form.cleaned_data["version"],
            accept_anew=form.cleaned_data["accept_anew"],
            actor=request.user,
            now=timezone.now(),
        )
    except ChangedMeanwhile as error:
        found = access.organised_challenge_for(request.user, slug)
        return conflict_of(
            error, form, TextForm(None, challenge=found), request.POST, target=found.slug
        )
    return None


@signed_in_act("leaderboard.preview", "120/m")
def preview(request: SignedInRequest, challenge: str) -> HttpResponse:
    """Show Markdown as readers will see it; nothing is stored."""
    found = access.organised_challenge_for(request.user, challenge)
    written = request.POST.get("description", "") or request.POST.get("body", "")
    context = {"previewed": written[:MAX_TEXT], "images": images_of(found)}
    return render(request, "leaderboard/organising/_text_preview.html", context)


@signed_in_form("leaderboard.manage", "60/m")
@parsed_late
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


@signed_in_act()
def image_logo(request: SignedInRequest, challenge: str, name: str) -> HttpResponse:
    """Make an image the challenge's logo, or let it be the logo no more."""
    image = _own(request, challenge, name)
    chosen = request.POST.get("logo") == "yes"
    logo_choose(image=image, chosen=chosen, actor=request.user, now=timezone.now())
    messages.success(
        request, f"{name} is the logo now." if chosen else "The challenge has no logo now."
    )
    return redirect("leaderboard:manage-text-images", challenge=challenge)


@signed_in_act()
def image_remove(request: SignedInRequest, challenge: str, name: str) -> HttpResponse:
    """Delete an image."""
    image = _own(request, challenge, name)
    image_delete(image=image, actor=request.user, now=timezone.now())
    messages.success(request, f"{name} was deleted.")
    return redirect("leaderboard:manage-text-images", challenge=challenge)


def _own(request: SignedInRequest, challenge: str, name: str) -> ChallengeImage:
    found = access.organised_challenge_for(request.user, challenge)
    rows = ChallengeImage.objects.select_related("challenge").defer("content")
    return get_object_or_404(rows, challenge=found, name=name)
