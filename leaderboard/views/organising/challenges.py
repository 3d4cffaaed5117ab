"""The challenges of an organiser: their list, making, writing, publishing and deleting one."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from leaderboard import access, tasks
from leaderboard.blueprints import blueprints
from leaderboard.forms.challenges import MAX_TEXT, NewChallengeForm, TextForm
from leaderboard.forms.local_time import zone_names
from leaderboard.selectors.organising.images import images_of
from leaderboard.selectors.organising.overview import managed_rows, phase_lines, steps_of
from leaderboard.selectors.people.participation import waiting_count
from leaderboard.services.organising import challenges as services
from leaderboard.services.organising.edit_conflicts import ChangedMeanwhile
from leaderboard.views.organising.edit_conflicts import Conflict, conflict_of
from leaderboard.views.pages import asked_rendered, form_rendered, refusal_shown, text_rendered
from leaderboard.web.rate_limits import rate_limited
from leaderboard.web.refusals import refusal_told
from leaderboard.web.requests import SignedInRequest
from leaderboard.web.signed_in import signed_in_act, signed_in_form, signed_in_page


@signed_in_page
def challenge_list(request: SignedInRequest) -> HttpResponse:
    """List the challenges that one organises."""
    context = {
        "rows": managed_rows(access.organised_challenges_of(request.user), timezone.now()),
        "may_create": access.may_create_challenges(request.user),
        "sees_labellers": access.may_see_labellers(request.user),
    }
    return render(request, "leaderboard/organising/challenges.html", context)


@login_required
@rate_limited("leaderboard.manage", "60/m")
@require_http_methods(["GET", "HEAD", "POST"])
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
        services.challenge_set_published(
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


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
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
    values = {name: form.cleaned_data[name] for name in services.TEXT}
    try:
        services.challenge_change(
            challenge=found,
            values=values,
            version=form.cleaned_data["version"],
            accept_anew=form.cleaned_data["accept_anew"],
            actor=request.user,
            now=timezone.now(),
        )
    except ChangedMeanwhile as error:
        found = access.organised_challenge_for(request.user, slug)
        return conflict_of(error, form, TextForm(None, challenge=found), request.POST, target=found)
    return None


@signed_in_act("leaderboard.preview", "120/m")
def preview(request: SignedInRequest, challenge: str) -> HttpResponse:
    """Show Markdown as readers will see it; nothing is stored."""
    found = access.organised_challenge_for(request.user, challenge)
    written = request.POST.get("description", "") or request.POST.get("body", "")
    context = {"previewed": written[:MAX_TEXT], "images": images_of(found)}
    return render(request, "leaderboard/organising/_text_preview.html", context)
