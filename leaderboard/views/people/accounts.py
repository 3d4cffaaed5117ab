"""One's own account: its page, API tokens, notices and mails, a copy of the data, deleting it."""

from http import HTTPStatus
from itertools import chain

from allauth.account.adapter import get_adapter
from allauth.account.models import EmailAddress
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods

from leaderboard.forms.people import AccountDeletionForm, NoticesForm, TokenForm, UserNameForm
from leaderboard.models import ApiToken, User
from leaderboard.selectors.people.accounts import account_facts, person_parts, ties_of
from leaderboard.selectors.people.notices import (
    notice_path,
    notices_of,
    opt_outs_of,
    opted_out,
    unsubscribe_target,
)
from leaderboard.services.people import accounts
from leaderboard.services.people.announcements import announcements_resume, announcements_stop
from leaderboard.services.people.notices import mail_preferences_set, notices_mark_read
from leaderboard.views.pages import form_rendered, row_named, with_acts
from leaderboard.web.extensions import personal_data_parts
from leaderboard.web.file_responses import json_stream
from leaderboard.web.refusals import Refused
from leaderboard.web.requests import SignedInRequest, signed_in_act, signed_in_form, signed_in_page


@signed_in_act("leaderboard.account", "20/m")
def account_rename(request: SignedInRequest) -> HttpResponse:
    """Change one's user name."""
    # The form writes into its instance even what it refuses; the header shows the real name.
    form = UserNameForm(request.POST, instance=User.objects.get(pk=request.user.pk))
    if not form.is_valid():
        return _page(request, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    name = form.cleaned_data["username"]
    accounts.account_rename(user=request.user, username=name, now=timezone.now())
    messages.success(request, f"You are called {name} from now on.")
    return redirect("leaderboard:account")


@signed_in_act("leaderboard.account", "20/m")
def account_notices(request: SignedInRequest) -> HttpResponse:
    """Set which notices go out by e-mail."""
    form = NoticesForm(request.POST)
    chosen = form.cleaned_data if form.is_valid() else {}
    wanted, trainings, announcements = (bool(chosen.get(name)) for name in NoticesForm.Meta.fields)
    mail_preferences_set(
        user=request.user, wanted=wanted, trainings=trainings, announcements=announcements
    )
    messages.success(request, f"Notices {'go' if wanted else 'do not go'} out by e-mail.")
    return redirect("leaderboard:account")


@signed_in_act()
def account_announcements(request: SignedInRequest) -> HttpResponse:
    """Send announcements of a challenge again."""
    row = row_named(request, "opt_out", opt_outs_of(request.user))
    announcements_resume(user=request.user, challenge=row.challenge)
    messages.success(request, f"Announcements of {row.challenge.title} go out by e-mail again.")
    return redirect("leaderboard:account")


@signed_in_page
def account_export(request: SignedInRequest) -> StreamingHttpResponse:
    """Send everything that is the person's, as one file."""
    added = (parts_of(request.user) for parts_of in personal_data_parts)
    parts = chain(person_parts(request.user), *added)
    response = StreamingHttpResponse(json_stream(parts), content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="account-{request.user.pk}.json"'
    return response


@signed_in_form("leaderboard.farewell", "5/m")
@sensitive_post_parameters("password")
def account_delete(request: SignedInRequest) -> HttpResponse:
    """Show what is deleted and what stays; delete the account once the password is given."""
    form = AccountDeletionForm(
        request.POST if request.method == "POST" else None, user=request.user
    )
    if form.is_valid():
        name, address = form.user.username, EmailAddress.objects.get_primary_email(request.user)
        try:
            accounts.account_delete(user=request.user, now=timezone.now())
        except Refused:
            pass  # the page names the ties
        else:
            logout(request)
            if address:
                mail_context = {"username": name}
                get_adapter().send_mail("account/email/account_deleted", address, mail_context)
            messages.success(request, "Your account was deleted.")
            return redirect("leaderboard:home")
    context = {"form": form, "ties": ties_of(request.user)}
    return form_rendered(request, "account/delete.html", context)


@with_acts(
    name=account_rename,
    notices=account_notices,
    announcements=account_announcements,
    export=account_export,
    delete=account_delete,
)
@login_required
@require_GET
def account(request: SignedInRequest) -> HttpResponse:
    """Show one's account."""
    return _page(request)


def _page(
    request: SignedInRequest, form: UserNameForm | None = None, *, status: int = HTTPStatus.OK
) -> HttpResponse:
    context = {
        "form": form or UserNameForm(instance=request.user),
        "notices": NoticesForm(instance=request.user),
        "facts": account_facts(request.user),
        "opt_outs": opt_outs_of(request.user),
    }
    return render(request, "account/account.html", context, status=status)


@signed_in_act("leaderboard.tokens", "10/m")
def token_create(request: SignedInRequest) -> HttpResponse:
    """Make a token and show its secret, this once.

    The answer is the page itself: a redirect would have to keep the secret
    somewhere until the next request.
    """
    form = TokenForm(request.POST)
    if not form.is_valid():
        return _token_page(request, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    token, secret = accounts.token_create(user=request.user, name=form.cleaned_data["name"])
    return _token_page(request, TokenForm(), made=token, secret=secret, status=HTTPStatus.CREATED)


@signed_in_act()
def token_delete(request: SignedInRequest) -> HttpResponse:
    """Make a token useless."""
    token = row_named(request, "token", ApiToken.objects.filter(user=request.user))
    accounts.token_delete(token=token)
    messages.success(request, f"{token.name} was deleted. Programs that use it are locked out.")
    return redirect("leaderboard:tokens")


@with_acts(new=token_create, delete=token_delete)
@login_required
@require_GET
def token_list(request: SignedInRequest) -> HttpResponse:
    """List one's own tokens, without their secrets, which are not kept."""
    return _token_page(request, TokenForm())


def _token_page(
    request: SignedInRequest,
    form: TokenForm,
    *,
    made: ApiToken | None = None,
    secret: str = "",
    status: int = HTTPStatus.OK,
) -> HttpResponse:
    context = {
        "form": form,
        "tokens": ApiToken.objects.filter(user=request.user),
        "made": made,
        "secret": secret,
        "api": request.build_absolute_uri("/api/v1"),
    }
    return render(request, "leaderboard/people/tokens.html", context, status=status)


PER_PAGE = 50


@login_required
@never_cache
@require_GET
def notice_open(request: SignedInRequest) -> HttpResponse:
    """Go where a notice leads; it has been read then."""
    notice = row_named(request, "notice", notices_of(request.user))
    notices_mark_read(user=request.user, now=timezone.now(), pk=notice.pk)
    return redirect(notice_path(notice))


@signed_in_act()
def notice_read_all(request: SignedInRequest) -> HttpResponse:
    """Mark all of one's notices as read."""
    notices_mark_read(user=request.user, now=timezone.now())
    return redirect("leaderboard:notices")


@with_acts(open=notice_open, read=notice_read_all)
@signed_in_page
def notice_list(request: SignedInRequest) -> HttpResponse:
    """List one's own notices, the latest first."""
    page = Paginator(notices_of(request.user), PER_PAGE).get_page(request.GET.get("page"))
    return render(request, "leaderboard/people/notices.html", {"page": page})


# Mail programs post here without a session (RFC 8058); the signed link itself is the right.
@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """Ask whether announcements of a challenge are to end, and end them when that is sent.

    Programs that look at every link of a mail read this page, and must change nothing.
    """
    target = unsubscribe_target(token)
    if target is None:
        context: dict[str, object] = {}
        status = HTTPStatus.NOT_FOUND
    else:
        user, challenge = target
        if request.method == "POST":
            announcements_stop(user=user, challenge=challenge, now=timezone.now())
        context = {"challenge": challenge, "stopped": opted_out(user, challenge)}
        status = HTTPStatus.OK
    return render(request, "leaderboard/people/unsubscribe.html", context, status=status)
