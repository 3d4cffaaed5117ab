"""Title, summary and text of a challenge; the preview of what organisers write."""

from http import HTTPStatus

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from leaderboard import access
from leaderboard.forms.challenges import MAX_TEXT, TextForm
from leaderboard.forms.moments import zone_names
from leaderboard.services.challenges import TEXT, challenge_change
from leaderboard.services.versions import ChangedMeanwhile
from leaderboard.views.manage.conflicts import Conflict, conflict_of
from leaderboard.views.rate_limits import rate_limited
from leaderboard.views.requests import SignedInRequest


@login_required
@rate_limited("leaderboard.manage", "60/m")
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def text(request: SignedInRequest, challenge: str) -> HttpResponse:
    """Write what a challenge is about; ``preview`` shows it without saving."""
    found = access.organised_challenge_for(request.user, challenge)
    form = TextForm(request.POST if request.method == "POST" else None, challenge=found)
    context: dict[str, object] = {"challenge": found, "form": form, "zones": zone_names()}
    previews = "preview" in request.POST
    if previews:
        context["previewed"] = request.POST.get("description", "")[:MAX_TEXT]
    elif form.is_valid():
        conflict = _save(request, found.slug, form)
        if conflict is None:
            messages.success(request, "The text was saved.")
            return redirect("leaderboard:manage-text", challenge=found.slug)
        context |= {"conflict": conflict, "form": conflict.form}
    refused = form.is_bound and not previews
    status = HTTPStatus.UNPROCESSABLE_ENTITY if refused else HTTPStatus.OK
    return render(request, "leaderboard/manage/text.html", context, status=status)


def _save(request: SignedInRequest, slug: str, form: TextForm) -> Conflict | None:
    found = access.organised_challenge_for(request.user, slug)
    values = {name: form.cleaned_data[name] for name in TEXT}
    try:
        challenge_change(
            challenge=found,
            values=values,
            version=form.cleaned_data["version"],
            actor=request.user,
            now=timezone.now(),
        )
    except ChangedMeanwhile as error:
        found = access.organised_challenge_for(request.user, slug)
        return conflict_of(
            error, form, TextForm(None, challenge=found), request.POST, target=found.slug
        )
    return None


@login_required
@rate_limited("leaderboard.preview", "120/m")
@require_POST
def preview(request: SignedInRequest) -> HttpResponse:
    """Show Markdown as readers will see it; nothing is stored."""
    written = request.POST.get("description", "") or request.POST.get("body", "")
    context = {"previewed": written[:MAX_TEXT]}
    return render(request, "leaderboard/manage/_preview.html", context)
