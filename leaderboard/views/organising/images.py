"""Images for the texts of a challenge, and its logo."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone

from leaderboard import access
from leaderboard.forms.challenges import ImageForm
from leaderboard.forms.uploads import parsed_late
from leaderboard.models import ChallengeImage
from leaderboard.selectors.organising.images import images_of
from leaderboard.services.organising.images import image_add, image_delete, logo_choose
from leaderboard.views.pages import form_rendered
from leaderboard.web.refusals import refusal_in
from leaderboard.web.requests import SignedInRequest
from leaderboard.web.signed_in import signed_in_act, signed_in_form


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
