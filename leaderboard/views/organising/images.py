"""Images for the texts of a challenge, and its logo."""

from http import HTTPStatus

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from leaderboard import access
from leaderboard.forms.images import ImageForm
from leaderboard.forms.uploads import parsed_late
from leaderboard.models import ChallengeImage
from leaderboard.selectors.organising.images import images_of
from leaderboard.services.organising.images import image_add, image_delete, logo_choose
from leaderboard.web.rate_limits import rate_limited
from leaderboard.web.refusals import refusal_in
from leaderboard.web.requests import SignedInRequest


@login_required
@rate_limited("leaderboard.manage", "60/m")
@never_cache
@parsed_late
@require_http_methods(["GET", "HEAD", "POST"])
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
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.is_bound else HTTPStatus.OK
    return render(request, "leaderboard/organising/images.html", context, status=status)


@login_required
@require_POST
def image_logo(request: SignedInRequest, challenge: str, name: str) -> HttpResponse:
    """Make an image the challenge's logo, or let it be the logo no more."""
    image = _own(request, challenge, name)
    chosen = request.POST.get("logo") == "yes"
    logo_choose(image=image, chosen=chosen, actor=request.user, now=timezone.now())
    messages.success(
        request, f"{name} is the logo now." if chosen else "The challenge has no logo now."
    )
    return redirect("leaderboard:manage-text-images", challenge=challenge)


@login_required
@require_POST
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
