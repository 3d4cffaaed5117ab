"""All that was handed in to a challenge, and what its organisers decide about it."""

from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from leaderboard import access, tasks
from leaderboard.forms.judging import DisqualifyForm, SubmissionsFilter
from leaderboard.models import Challenge, EvaluationState, Kind, Submission, User
from leaderboard.selectors.evaluations.progress import progress_of
from leaderboard.selectors.organising.submission_list import LATEST, SORTS, choices_of, handed_in
from leaderboard.services.organising import judging as services
from leaderboard.views.pages import act_on, phase_context, with_acts
from leaderboard.web.requests import SignedInRequest, signed_in_page

# More at once would keep the page waiting: what failed is read anew for each.
AT_ONCE = 50


@act_on(access.organised_challenge_for, "leaderboard.judge", "60/m")
def submissions_retry(request: SignedInRequest, found: Challenge) -> None:
    """Set what failed of the chosen submissions to waiting again."""
    chosen = request.POST.getlist("all" if "retry_all" in request.POST else "chosen")
    rows = Submission.objects.filter(phase__challenge=found, public_id__in=chosen[:AT_ONCE])
    retried = services.submissions_retry(
        submissions=rows.select_related("phase__challenge").order_by("pk"),
        actor=request.user,
        now=timezone.now(),
    )
    _report_retried(request, retried)


def _report_retried(request: SignedInRequest, retried: list[int]) -> None:
    if not retried:
        messages.info(request, "There is nothing that could be tried again.")
        return
    transaction.on_commit(lambda: tasks.evaluations_enqueue(retried))
    count = len(retried)
    subject = "1 metric is" if count == 1 else f"{count:,} metrics are"
    messages.success(request, f"{subject} being computed again.")


@with_acts(retry=submissions_retry)
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
        "failing": any(row["progress"].failed for row in rows),
    }
    return render(request, "leaderboard/organising/submissions.html", context)


def _found(user: User, challenge: str, public_id: str) -> Submission:
    found = access.organised_submission_for(user, public_id)
    if found.phase.challenge.slug != challenge:
        raise Http404
    return found


_on_submission = act_on(_found, "leaderboard.judge", "60/m")


@_on_submission
def submission_retry(request: SignedInRequest, found: Submission) -> None:
    """Set what failed to waiting again."""
    now = timezone.now()
    _report_retried(
        request, services.submissions_retry(submissions=[found], actor=request.user, now=now)
    )


@_on_submission
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


@_on_submission
def submission_restore(request: SignedInRequest, found: Submission) -> None:
    """Restore a disqualified submission."""
    services.submission_restore(submission=found, actor=request.user, now=timezone.now())
    tasks.notices_enqueue()
    messages.success(request, f"{found.system_name} is restored. Its team was told.")


@_on_submission
def submission_mark(request: SignedInRequest, found: Submission) -> None:
    """Mark a submission as a baseline or as competing."""
    kind = Kind.BASELINE if request.POST.get("kind") == Kind.BASELINE else Kind.SYSTEM
    services.submission_mark(submission=found, kind=kind, actor=request.user, now=timezone.now())
    tasks.notices_enqueue()
    outcome = (
        "is a baseline: it is shown beside the ranking and does not compete"
        if kind == Kind.BASELINE
        else "competes"
    )
    messages.success(request, f"{found.system_name} {outcome}.")


@with_acts(
    retry=submission_retry,
    disqualify=submission_disqualify,
    restore=submission_restore,
    mark=submission_mark,
)
@signed_in_page
def submission(request: SignedInRequest, challenge: str, public_id: str) -> HttpResponse:
    """Show a submission with what failed and what can be decided about it."""
    return _page(request, _found(request.user, challenge, public_id), DisqualifyForm())


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
