"""The ranking lab: what the ranking of a phase would be under other rules."""

from http import HTTPStatus

from django.http import HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.urls import reverse

from leaderboard import access
from leaderboard.forms.lab import CompositeForm, LabChoices, LabForm
from leaderboard.models import Phase
from leaderboard.selectors.analysis.ranking_stability import RESAMPLES
from leaderboard.selectors.figures.lab import lab_figure
from leaderboard.selectors.lab.composite import why_not_published
from leaderboard.selectors.lab.evidence import evidence_of
from leaderboard.selectors.lab.pool import baselines_of, clip_names, whole_of
from leaderboard.selectors.lab.query import LabQuery, rules_in_words
from leaderboard.selectors.lab.report import LabReport, lab_csv, report_key, report_of
from leaderboard.views.pages import form_rendered, phase_context
from leaderboard.web.file_responses import attachment
from leaderboard.web.page_cache import parts_rate_check
from leaderboard.web.rate_limits import visitor
from leaderboard.web.refusals import Refused
from leaderboard.web.requests import SignedInRequest, signed_in_form
from leaderboard.web.version_cache import kept_for_version


@signed_in_form()
def lab(request: SignedInRequest, challenge: str, phase: str) -> HttpResponse:
    """Show a ranking under the rules of the query; a form sent leads to the query that says it.

    ``?csv=1`` gives the ranking as a file. Nothing is ever written.
    """
    found = access.organised_phase_for(request.user, challenge, phase)
    rules = LabQuery.read(request.GET.dict(), found)
    clips = clip_names(found)
    if request.method != "POST" and request.GET.get("csv") and clips:
        return _file(request, found, rules, len(clips))
    whole = whole_of(found, rules)
    offered = LabChoices([*whole.rows, *(baselines_of(whole) if rules.baselines else ())], clips)
    data = request.POST if request.method == "POST" else None
    form = LabForm(data, phase=found, rules=rules, offered=offered)
    if form.is_valid():
        return redirect(f"{_address(found)}?{form.rules.query(found)}".removesuffix("?"))
    return _page(request, found, rules, form)


def _address(phase: Phase) -> str:
    return reverse("leaderboard:lab", args=[phase.challenge.slug, phase.slug])


def _file(request: SignedInRequest, phase: Phase, rules: LabQuery, clips: int) -> HttpResponse:
    parts_rate_check(request, visitor(request))
    try:
        text = lab_csv(report_of(phase, rules, clips=clips))
    except Refused as refused:
        return HttpResponse(str(refused), status=HTTPStatus.CONFLICT, content_type="text/plain")
    name = f"{phase.challenge.slug}-{phase.slug}-lab.csv"
    return attachment(text.encode(), name, "text/csv; charset=utf-8")


def _page(request: SignedInRequest, phase: Phase, rules: LabQuery, form: LabForm) -> HttpResponse:
    report: LabReport | None = None
    refused = ""
    if form.offered.lines and form.offered.clips:
        parts_rate_check(request, visitor(request))
        try:
            report = report_of(phase, rules, clips=len(form.offered.clips))
        except Refused as error:
            refused = str(error)
    query = rules.query(phase)
    why_not = why_not_published(phase, rules)
    context = {
        **phase_context(phase),
        "asked": rules,
        "usual": rules == LabQuery.usual(phase),
        "form": form,
        "report": report,
        "rows": _rows_html(phase, report) if report else "",
        "refused": refused,
        "rules": rules_in_words(rules, phase, form.offered.teams, form.offered.systems),
        "figure": lab_figure(report) if report else None,
        "evidence": evidence_of(phase, report, request.user) if report else None,
        "why_not": why_not,
        "composite": None
        if why_not or not report
        else CompositeForm(
            initial={"formula": report.formula, "precision": rules.precision},
            auto_id="composite_%s",
        ),
        "address": request.build_absolute_uri(f"{_address(phase)}?{query}".removesuffix("?")),
        "resamples": RESAMPLES,
        "file": f"?{rules.query(phase, csv='1')}",
    }
    return form_rendered(request, "leaderboard/lab/lab.html", context)


def _rows_html(phase: Phase, report: LabReport) -> str:
    """The rows as HTML; they are the same for everyone who may open the lab."""
    context = {"phase": phase, "rows": report.rows, "asked": report.asked}
    return kept_for_version(
        ("lab html", *report_key(phase, report.asked, clips=report.clips)),
        lambda: render_to_string("leaderboard/lab/_rows.html", context),
    )
