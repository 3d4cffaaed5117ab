"""One's own account: the page that gathers it, a copy of one's data, the end of it."""

from http import HTTPStatus
from itertools import chain

from allauth.account.adapter import get_adapter
from allauth.account.models import EmailAddress
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.selectors.person import (
    annotations_of_person,
    keys_of_person,
    memberships_of_person,
    versions_of_person,
)
from leaderboard.forms.account import FarewellForm, NoticesForm, UserNameForm
from leaderboard.models import User
from leaderboard.selectors.accounts import account_facts, ties_of
from leaderboard.selectors.person import person_parts
from leaderboard.services import accounts as services
from leaderboard.services.accounts import AccountTied
from leaderboard.services.notices import mail_set
from leaderboard.views.json_stream import json_stream
from leaderboard.views.rate_limits import rate_limited
from leaderboard.views.requests import SignedInRequest


@login_required
@require_GET
def account(request: SignedInRequest) -> HttpResponse:
    """Show one's account."""
    return _page(request)


@login_required
@rate_limited("leaderboard.account", "20/m")
@require_POST
def account_rename(request: SignedInRequest) -> HttpResponse:
    """Change one's user name."""
    # The form writes into its instance even what it refuses; the header shows the real name.
    form = UserNameForm(request.POST, instance=User.objects.get(pk=request.user.pk))
    if not form.is_valid():
        return _page(request, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    name = form.cleaned_data["username"]
    services.account_rename(user=request.user, username=name, now=timezone.now())
    messages.success(request, f"You are called {name} from now on.")
    return redirect("leaderboard:account")


@login_required
@rate_limited("leaderboard.account", "20/m")
@require_POST
def account_notices(request: SignedInRequest) -> HttpResponse:
    """Say which notices go out by e-mail."""
    form = NoticesForm(request.POST)
    chosen = form.cleaned_data if form.is_valid() else {}
    wanted, trainings = (bool(chosen.get(name)) for name in NoticesForm.Meta.fields)
    mail_set(user=request.user, wanted=wanted, trainings=trainings)
    messages.success(request, f"Notices {'go' if wanted else 'do not go'} out by e-mail.")
    return redirect("leaderboard:account")


@login_required
@never_cache
@require_GET
def account_export(request: SignedInRequest) -> StreamingHttpResponse:
    """Send everything that is the person's, as one file."""
    labelling = (
        ("labelling_projects", memberships_of_person(request.user)),
        ("annotations", annotations_of_person(request.user)),
        ("annotation_versions", versions_of_person(request.user)),
        ("labelling_keys", keys_of_person(request.user)),
    )
    parts = chain(person_parts(request.user), labelling)
    response = StreamingHttpResponse(json_stream(parts), content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="account-{request.user.pk}.json"'
    return response


@login_required
@rate_limited("leaderboard.farewell", "5/m")
@sensitive_post_parameters("password")
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def account_delete(request: SignedInRequest) -> HttpResponse:
    """Say what goes and what stays, and delete the account of who proves to want it."""
    form = FarewellForm(request.POST if request.method == "POST" else None, user=request.user)
    if form.is_valid():
        address = EmailAddress.objects.get_primary_email(request.user)
        try:
            services.account_delete(user=request.user, now=timezone.now())
        except AccountTied:
            pass  # the page names the ties
        else:
            return _farewell(request, address)
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.is_bound else HTTPStatus.OK
    context = {"form": form, "ties": ties_of(request.user)}
    return render(request, "account/delete.html", context, status=status)


def _farewell(request: SignedInRequest, address: str | None) -> HttpResponse:
    name = request.user.username
    logout(request)
    if address:
        get_adapter().send_mail("account/email/account_deleted", address, {"username": name})
    messages.success(request, "Your account was deleted.")
    return redirect("leaderboard:home")


def _page(
    request: SignedInRequest, form: UserNameForm | None = None, *, status: int = HTTPStatus.OK
) -> HttpResponse:
    context = {
        "form": form or UserNameForm(instance=request.user),
        "notices": NoticesForm(instance=request.user),
        "facts": account_facts(request.user),
    }
    return render(request, "account/account.html", context, status=status)
