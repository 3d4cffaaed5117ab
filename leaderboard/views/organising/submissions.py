"""All that was handed in to a challenge, and what its organisers decide about it."""

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from leaderboard import access, tasks
from leaderboard.forms.judging import DisqualifyForm, SubmissionsFilter
from leaderboard.models import EvaluationState, Kind, Submission
from leaderboard.selectors.evaluations.progress import progress_of
from leaderboard.selectors.organising.submission_list import (
    LATEST,
    SORTS,
    choices_of,
    handed_in,
)
from leaderboard.services.organising import judging as services
from leaderboard.views.pages import phase_context
from leaderboard.web.refusals import refusal_told
from leaderboard.web.requests import SignedInRequest, signed_in_act, signed_in_page

# More at once would keep the page waiting: what failed is read anew for each.
AT_ONCE = 50


@signed_in_page
def submission_list(request: SignedInRequest, challenge: str) -> HttpResponse:
    """List all that was handed in, filtered and sorted as asked."""
    found = access.organised_challenge_for(request.user, challenge)
    form = SubmissionsFilter(request.GET, choices=choices_of(found))
    sort = request.GET.get("sort", "")
    sort = sort if sort.removeprefix("-") in SORTS else LATEST
    page, rows = handed_in(found, form.asked, sort, request.GET.get("page", 1))
    context = {
        "challenge": found,
        "form": form,
        "page": page,
        "rows": rows,
        "sort": sort,
        "filtered": bool(form.kept),
        "filters": urlencode(form.kept),
        "query": urlencode({**form.kept, "sort": sort}),
        "failing": any(row.progress.failed for row in rows),
    }
    return render(request, "leaderboard/organising/submissions.html", context)


@signed_in_act("leaderboard.judge", "60/m")
def submission_retry_many(request: SignedInRequest, challenge: str) -> HttpResponse:
    """Set what failed of the chosen submissions to waiting again."""
    found = access.organised_challenge_for(request.user, challenge)
    chosen = request.POST.getlist("all" if "retry_all" in request.POST else "chosen")
    rows = Submission.objects.filter(phase__challenge=found, public_id__in=chosen[:AT_ONCE])
    retried = services.submissions_retry(
        submissions=rows.select_related("phase__challenge").order_by("pk"),
        actor=request.user,
        now=timezone.now(),
    )
    _report_retried(request, retried)
    back = redirect("leaderboard:manage-submissions", challenge=found.slug)
    query = request.POST.get("query", "")
    return redirect(f"{back.url}?{query}") if query else back


def _report_retried(request: SignedInRequest, retried: list[int]) -> None:
    if not retried:
        messages.info(request, "There is nothing that could be tried again.")
        return
    transaction.on_commit(lambda: tasks.evaluations_enqueue(retried))
    count = len(retried)
    subject = "1 metric is" if count == 1 else f"{count:,} metrics are"
    messages.success(request, f"{subject} being computed again.")


@signed_in_page
def submission(request: SignedInRequest, challenge: str, public_id: str) -> HttpResponse:
    """Show a submission with what failed and what can be decided about it."""
    return _page(request, _found(request, challenge, public_id), DisqualifyForm())


Act = Callable[[SignedInRequest, Submission], HttpResponse | None]


def _act(view: Act) -> Callable[..., HttpResponse]:
    """Let organisers alone act, say what is refused, and go back to the submission."""

    @signed_in_act("leaderboard.judge", "60/m")
    @wraps(view)
    def checked(request: SignedInRequest, challenge: str, public_id: str) -> HttpResponse:
        found = _found(request, challenge, public_id)
        answer = None
        with refusal_told(request):
            answer = view(request, found)
        return answer or redirect(
            "leaderboard:manage-submission", challenge=challenge, public_id=public_id
        )

    return checked


@_act
def submission_retry_one(request: SignedInRequest, found: Submission) -> None:
    """Set what failed to waiting again."""
    now = timezone.now()
    _report_retried(
        request, services.submissions_retry(submissions=[found], actor=request.user, now=now)
    )


@_act
def submission_disqualify(request: SignedInRequest, found: Submission) -> HttpResponse | None:
    """Disqualify a submission."""
    form = DisqualifyForm(request.POST)
    if not form.is_valid():
        return _page(request, found, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    reason = form.cleaned_data["reason"]
    services.submission_disqualify(
        submission=found, reason=reason, actor=request.user, now=timezone.now()
    )
    tasks.notices_enqueue()
    messages.success(
        request, f"{found.system_name} is disqualified and has no rank. Its team was told why."
    )
    return None


@_act
def submission_restore(request: SignedInRequest, found: Submission) -> None:
    """Restore a disqualified submission."""
    services.submission_restore(submission=found, actor=request.user, now=timezone.now())
    tasks.notices_enqueue()
    messages.success(request, f"{found.system_name} is restored. Its team was told.")


@_act
def submission_mark(request: SignedInRequest, found: Submission) -> None:
    """Mark a submission as a baseline or as competing."""
    kind = Kind.BASELINE if request.POST.get("kind") == Kind.BASELINE else Kind.SYSTEM
    services.submission_mark(submission=found, kind=kind, actor=request.user, now=timezone.now())
    tasks.notices_enqueue()
    outcome = (
        "is a baseline: it stands beside the ranking and does not compete"
        if kind == Kind.BASELINE
        else "competes"
    )
    messages.success(request, f"{found.system_name} {outcome}.")


def _found(request: SignedInRequest, challenge: str, public_id: str) -> Submission:
    found = access.organised_submission_for(request.user, public_id)
    if found.phase.challenge.slug != challenge:
        raise Http404
    return found


def _page(
    request: SignedInRequest,
    found: Submission,
    form: DisqualifyForm,
    *,
    status: int = HTTPStatus.OK,
) -> HttpResponse:
    evaluations = found.evaluations.filter(published=True).defer("detail")
    context: dict[str, Any] = {
        **phase_context(found.phase),
        "submission": found,
        "progress": progress_of(evaluations),
        # The detail, which may hold captions, is for organisers alone.
        "failed": found.evaluations.filter(published=True, state=EvaluationState.FAILED).order_by(
            "pk"
        ),
        "form": form,
    }
    return render(request, "leaderboard/organising/submission.html", context, status=status)
