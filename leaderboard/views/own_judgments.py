"""Judgments of one's own, and the pairs that a metric gets wrong."""

from collections.abc import Sequence
from http import HTTPStatus

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone

from leaderboard import access
from leaderboard.forms.judgments import OwnJudgmentsForm
from leaderboard.forms.uploads import parsed_late
from leaderboard.models import JudgmentSet
from leaderboard.selectors.analysis.human_judgments import KIND_TITLES
from leaderboard.selectors.analysis.wrong_pairs import WrongPairs, wrong_pairs, wrong_pairs_lines
from leaderboard.services.judgments.own import (
    MOST_KEPT,
    MOST_PAIRS,
    RATE,
    RATE_GROUP,
    own_judgments_create,
    own_judgments_delete,
)
from leaderboard.tasks import judgments_enqueue
from leaderboard.views.judgments import judged_context
from leaderboard.views.pages import signed_in_act, signed_in_form, signed_in_page
from leaderboard.web.file_responses import attachment
from leaderboard.web.refusals import Refused
from leaderboard.web.requests import SignedInRequest
from leaderboard.web.upload_turns import reads_upload
from scoring.benchmark import TOTAL
from scoring.captions import Fault
from scoring.judgment_files import HEADER
from scoring.registry import METRICS, MetricInfo

PER_PAGE = 25
FAULTS_SHOWN = 100


@signed_in_form(RATE_GROUP, RATE)
@parsed_late
@reads_upload
def own_judgments(request: SignedInRequest) -> HttpResponse:
    """List one's own judgments; take a file in and have the metrics compared with it."""
    if request.method != "POST":
        return _page(request, OwnJudgmentsForm())
    form = OwnJudgmentsForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    try:
        made = own_judgments_create(
            owner=request.user,
            name=form.shown_name,
            data=form.cleaned_data["file"].read(),
            now=timezone.now(),
        )
    except Refused as refused:
        if not refused.faults:
            form.add_error(refused.field or None, str(refused))
        return _page(request, form, faults=refused.faults, status=refused.status)
    judgments_enqueue(made.pk)
    messages.success(request, f"The metrics are being compared with {made.name}.")
    return redirect("leaderboard:own-judgment", pk=made.pk)


def _page(
    request: SignedInRequest,
    form: OwnJudgmentsForm,
    *,
    faults: Sequence[Fault] = (),
    status: int = HTTPStatus.OK,
) -> HttpResponse:
    context = {
        "form": form,
        "faults": faults[:FAULTS_SHOWN],
        "fault_count": len(faults),
        "every": access.own_judgments_of(request.user),
        "header": HEADER,
        "most_pairs": MOST_PAIRS,
        "most_kept": MOST_KEPT,
    }
    return render(request, "leaderboard/metrics/own_judgments.html", context, status=status)


@signed_in_page
def own_judgment(request: SignedInRequest, pk: int) -> HttpResponse:
    """Show how often each metric agrees with one's own judgments: ``?pairs=`` a kind."""
    found = access.own_judgments_for(request.user, pk)
    address = reverse("leaderboard:own-judgment", args=[pk])
    context = {"judgments": found, "wrong": f"{address}wrong/", **judged_context(request, found)}
    page = render(request, "leaderboard/metrics/own_judgment.html", context)
    if not found.under_way and "HX-Request" in request.headers:
        page["HX-Refresh"] = "true"
    return page


@signed_in_act()
def delete(request: SignedInRequest, pk: int) -> HttpResponse:
    """Delete one's own judgments."""
    found = access.own_judgments_for(request.user, pk)
    own_judgments_delete(judgments=found)
    messages.success(request, f"{found.name} was deleted.")
    return redirect("leaderboard:own-judgments")


@signed_in_page
def own_wrong_pairs(request: SignedInRequest, pk: int, name: str) -> HttpResponse:
    """List the pairs of one's own judgments that a metric gets wrong."""
    return _wrong_pairs(request, access.own_judgments_for(request.user, pk), name)


@signed_in_page
def phase_wrong_pairs(
    request: SignedInRequest, challenge: str, phase: str, pk: int, name: str
) -> HttpResponse:
    """List the judged pairs of a phase that a metric gets wrong, for its organisers."""
    return _wrong_pairs(request, access.judged_pairs_for(request.user, challenge, phase, pk), name)


def _wrong_pairs(request: SignedInRequest, judgments: JudgmentSet, name: str) -> HttpResponse:
    """``?kind=`` one kind of pair, ``?page=`` which of them, ``?csv`` all of them as a file."""
    info = METRICS.get(name)
    if info is None:
        raise Http404
    found = wrong_pairs(judgments, name)
    asked = request.GET.get("kind", "")
    kind = asked if found is not None and asked in found.kinds else TOTAL
    if found is not None and "csv" in request.GET:
        text = "".join(wrong_pairs_lines(found.of(kind)))
        return attachment(text.encode(), f"wrong-pairs-{name}.csv", "text/csv; charset=utf-8")
    return _wrong_pairs_page(request, judgments, info, found, kind)


def _wrong_pairs_page(
    request: SignedInRequest,
    judgments: JudgmentSet,
    info: MetricInfo,
    found: WrongPairs | None,
    kind: str,
) -> HttpResponse:
    context: dict[str, object] = {"judgments": judgments, "info": info, "found": found}
    template = "leaderboard/metrics/own_wrong_pairs.html"
    if (phase := judgments.phase) is not None:
        template = "leaderboard/analysis/wrong_pairs.html"
        context |= {"phase": phase, "challenge": phase.challenge, "of": str(judgments.pk)}
    if found is not None:
        pages = Paginator(found.of(kind), PER_PAGE)
        context |= {
            "kind": kind,
            "kinds": [(one, KIND_TITLES[one], count) for one, count in found.kinds.items()],
            "page": pages.get_page(request.GET.get("page")),
        }
    return render(request, template, context)
