"""Personal API tokens."""

from http import HTTPStatus

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from leaderboard.forms.tokens import TokenForm
from leaderboard.models import ApiToken
from leaderboard.services import tokens as services
from leaderboard.views.rate_limits import rate_limited
from leaderboard.views.requests import SignedInRequest


@login_required
@require_GET
def token_list(request: SignedInRequest) -> HttpResponse:
    """List one's own tokens, without their secrets, which are not kept."""
    return _page(request, TokenForm())


@login_required
@rate_limited("leaderboard.tokens", "10/m")
@never_cache
@require_POST
def token_create(request: SignedInRequest) -> HttpResponse:
    """Make a token and show its secret, this once.

    The answer is the page itself: a redirect would have to keep the secret
    somewhere until the next request.
    """
    form = TokenForm(request.POST)
    if not form.is_valid():
        return _page(request, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    token, secret = services.token_create(user=request.user, name=form.cleaned_data["name"])
    return _page(request, TokenForm(), made=token, secret=secret, status=HTTPStatus.CREATED)


@login_required
@require_POST
def token_delete(request: SignedInRequest, pk: int) -> HttpResponse:
    """Make a token useless."""
    token = get_object_or_404(ApiToken, user=request.user, pk=pk)
    services.token_delete(token=token)
    messages.success(request, f"{token.name} was deleted. Programs that use it are locked out.")
    return redirect("leaderboard:tokens")


def _page(
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
    return render(request, "leaderboard/tokens.html", context, status=status)
