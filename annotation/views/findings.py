"""The findings of a data set: checking its captions, deciding what was found, and what was."""

from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods
from django_htmx.http import HttpResponseClientRefresh

from annotation import access, tasks
from annotation.forms.data_sets import CaptionForm, CheckForm, DecisionForm, FindingFilterForm
from annotation.models import CaptionFinding, DataSet, DataSetCaption, Verdict
from annotation.selectors.data_sets.checking import kinds_of_check, since_check
from annotation.selectors.data_sets.findings import (
    FORMATS,
    STATES,
    FindingFilter,
    FindingRow,
    decision_text,
    decisions_file,
    decisions_of,
    finding_counts,
    finding_rows,
    findings_of,
    kind_title,
    last_decision,
    sounds_of,
)
from annotation.services.data_sets.decisions import (
    caption_edit,
    decision_take_back,
    decisions_take_back,
    finding_accept,
    finding_dismiss,
    finding_edit,
    finding_take_back,
    findings_dismiss_all,
)
from annotation.services.data_sets.findings import (
    CHECKED_AT_ONCE,
    check_configure,
    check_run,
    check_start,
)
from annotation.services.data_sets.making import DataSetAct
from annotation.text_changes import text_stamp
from annotation.views.data_sets import act_of, data_set_page
from earmark.captions.faults import count_of
from leaderboard.web.file_responses import download_response
from leaderboard.web.refusals import Refused, refusal_told
from leaderboard.web.requests import (
    SignedInRequest,
    login_required_for_part_of,
    signed_in_act,
    signed_in_form,
    signed_in_page,
    signed_in_part,
)

ON_PAGE = 25


@signed_in_page
def queue(request: SignedInRequest, data_set: str) -> HttpResponse:
    """List the findings of a kind and state, each with what can be done."""
    found = access.data_set_for(request.user, data_set)
    return _queue_page(request, found, CheckForm(data_set=found))


def _queue_page(request: SignedInRequest, data_set: DataSet, form: CheckForm) -> HttpResponse:
    chosen = FindingFilterForm(request.GET).chosen
    page = Paginator(findings_of(data_set, chosen), ON_PAGE).get_page(request.GET.get("page"))
    rows = _rows(request, data_set, page.object_list)
    following = [row.finding.pk for row in rows[1:]]
    return data_set_page(
        request,
        data_set,
        "findings",
        rows=list(zip(rows, [*following, None], strict=False)),
        page=page,
        form=form,
        last=data_set.checks.first(),
        since=since_check(data_set),
        of_check=list(map(kind_title, kinds_of_check(data_set))),
        **_filters(data_set, chosen),
        **_last(request, data_set),
    )


def _last(request: SignedInRequest, data_set: DataSet) -> dict[str, Any]:
    """What the person decided last, which a key or a button takes back."""
    decision = last_decision(data_set, request.user)
    text = "" if decision is None else decision_text(decision)
    return {"last_decision": decision, "last_decision_text": text}


def _rows(request: SignedInRequest, data_set: DataSet, findings: Any) -> list[FindingRow]:
    hears = access.hears_source_of(request.user, data_set)
    return finding_rows(data_set, findings, hears=hears)


def _filters(data_set: DataSet, chosen: FindingFilter) -> dict[str, Any]:
    """What the links to other kinds and states need, with counts."""
    counts = finding_counts(data_set)
    of_state = counts[chosen.state]
    kinds = [(name, kind_title(name), of_state[name]) for name in sorted(of_state)]
    return {
        "chosen": chosen,
        "query": urlencode({"kind": chosen.kind, "state": chosen.state}),
        "states": [(name, verdict.label, counts[name].total()) for name, verdict in STATES.items()],
        "kinds": [("", "All kinds", of_state.total()), *kinds],
    }


@signed_in_act("annotation.check", "20/m")
def check(request: SignedInRequest, data_set: str) -> HttpResponse:
    """Check all captions: a few at once, many by a worker."""
    found = access.data_set_for(request.user, data_set)
    form = CheckForm(request.POST, data_set=found)
    if not form.is_valid():
        return _queue_page(request, found, form)
    act = act_of(request)
    check_configure(data_set=found, **form.cleaned_data, act=act)
    started = check_start(data_set=found, act=act)
    if started.total > CHECKED_AT_ONCE:
        tasks.CHECK_TASKS.enqueue(started.pk)
    else:
        check_run(pk=started.pk, token=started.token)
    return redirect("annotation:data-set-findings", data_set=found.slug)


@signed_in_part("annotation:data-set-finding-progress")
def progress(request: SignedInRequest, data_set: str) -> HttpResponse:
    """Show how far the check is, as a part of the page; once it is over the page comes anew."""
    found = access.data_set_for(request.user, data_set)
    last = found.checks.first()
    if last is not None and not last.under_way and request.htmx:
        return HttpResponseClientRefresh()
    context = {"data_set": found, "last": last}
    return render(request, "annotation/data_sets/_check.html", context)


@login_required_for_part_of("annotation:data-set-finding")
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def finding(request: SignedInRequest, data_set: str, finding: int) -> HttpResponse:
    """Show a finding; decide it. A decision that is refused is shown with what was written."""
    found = access.data_set_for(request.user, data_set)
    row = access.finding_for(request.user, data_set, finding)
    if request.method != "POST":
        return _finding_page(request, found, row)
    form = DecisionForm(request.POST)
    if not form.is_valid():
        fault = " ".join(str(text) for texts in form.errors.values() for text in texts)
        return _refused(request, found, row, fault, HTTPStatus.UNPROCESSABLE_ENTITY)
    open_before = _open_of(row)
    try:
        notice = _decide(found, row, form.cleaned_data, act_of(request))
    except Refused as refused:
        return _refused(request, found, row, str(refused), refused.status)
    if notice:
        messages.success(request, notice)
    if request.htmx:
        return HttpResponseClientRefresh() if notice else _decided(request, found, row, open_before)
    address = reverse("annotation:data-set-findings", args=[found.slug])
    following = form.cleaned_data["following"]
    anchor = f"#finding-{following}" if following else ""
    return redirect(f"{address}?{_asked(request)[1]}{anchor}")


def _asked(request: SignedInRequest) -> tuple[FindingFilter, str]:
    """The filter of the list in which a decision was made, and its address."""
    chosen = FindingFilterForm(request.POST).chosen
    return chosen, urlencode({"kind": chosen.kind, "state": chosen.state})


def _open_of(row: CaptionFinding) -> frozenset[int]:
    """Ids of the findings of the clip's captions that are open."""
    rows = CaptionFinding.objects.filter(caption__clip=row.caption.clip, verdict=Verdict.OPEN)
    return frozenset(rows.values_list("pk", flat=True))


def _decide(data_set: DataSet, row: CaptionFinding, values: dict[str, Any], act: DataSetAct) -> str:
    """Do what a form says with a finding; what is to be told, "" where the page shows it."""
    seen = values["seen"]
    match values["act"]:
        case "accept":
            finding_accept(finding=row, choice=values["choice"], seen=seen, act=act)
        case "edit":
            finding_edit(finding=row, text=values["text"], seen=seen, act=act)
        case "dismiss":
            finding_dismiss(finding=row, seen=seen, act=act)
        case "take-back":
            finding_take_back(finding=row, act=act)
        case "dismiss-all":
            kind, text = row.kind, row.text
            count = findings_dismiss_all(data_set=data_set, kind=kind, text=text, act=act)
            return f"{count_of(count, 'finding')} dismissed: {kind_title(kind)}, “{text}”."
    return ""


def _decided(
    request: SignedInRequest, data_set: DataSet, row: CaptionFinding, before: frozenset[int]
) -> HttpResponse:
    """The finding as it is now, and those of its clip that changed with it or are new."""
    chosen, _ = _asked(request)
    now = _open_of(row)
    mine = CaptionFinding.objects.filter(pk=row.pk)
    others = CaptionFinding.objects.filter(pk__in=before | now).exclude(pk=row.pk)
    if chosen.kind:
        others = others.filter(kind=chosen.kind)
    order = ("caption__number", "start", "pk")
    rows = _rows(request, data_set, [*mine, *others.order_by(*order)])
    context = {
        "data_set": data_set,
        "row": rows[0],
        "new": [one for one in rows[1:] if one.finding.pk not in before],
        "changed": [one for one in rows[1:] if one.finding.pk in before],
        **_filters(data_set, chosen),
        **_last(request, data_set),
    }
    return render(request, "annotation/data_sets/_decided.html", context)


def _refused(
    request: SignedInRequest, data_set: DataSet, row: CaptionFinding, fault: str, status: int
) -> HttpResponse:
    current = CaptionFinding.objects.select_related("caption__clip").get(pk=row.pk)
    shown = {"fault": fault, "written": request.POST.get("text", "")}
    if not request.htmx:
        return _finding_page(request, data_set, current, status=status, **shown)
    context = {
        "data_set": data_set,
        "row": _rows(request, data_set, [current])[0],
        "chosen": _asked(request)[0],
        **shown,
    }
    return render(request, "annotation/data_sets/_finding.html", context, status=status)


def _finding_page(
    request: SignedInRequest,
    data_set: DataSet,
    row: CaptionFinding,
    *,
    status: int = 200,
    **shown: Any,
) -> HttpResponse:
    query = request.POST if request.method == "POST" else request.GET
    return data_set_page(
        request,
        data_set,
        "finding",
        status=status,
        row=_rows(request, data_set, [row])[0],
        chosen=FindingFilterForm(query).chosen,
        **shown,
    )


@signed_in_form()
def caption(request: SignedInRequest, data_set: str, caption: int) -> HttpResponse:
    """Show a caption with all that was decided about it; edit it."""
    found = access.data_set_caption_for(request.user, data_set, caption)
    if request.method != "POST":
        return _caption_page(request, found)
    form = CaptionForm(request.POST)
    if not form.is_valid():
        return _caption_page(request, found, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    values = form.cleaned_data
    try:
        caption_edit(caption=found, text=values["text"], seen=values["seen"], act=act_of(request))
    except Refused as refused:
        form.add_error("text", str(refused))
        found.refresh_from_db()
        return _caption_page(request, found, form, status=refused.status)
    messages.success(request, "The caption was saved.")
    return redirect("annotation:data-set-captions-item", data_set=data_set, caption=found.pk)


def _caption_page(
    request: SignedInRequest,
    caption: DataSetCaption,
    form: CaptionForm | None = None,
    *,
    status: int = 200,
) -> HttpResponse:
    data_set, stamp = caption.clip.data_set, text_stamp(caption.text)
    hears = access.hears_source_of(request.user, data_set)
    name = caption.clip.file_name
    return data_set_page(
        request,
        data_set,
        "caption",
        status=status,
        caption=caption,
        others=caption.clip.captions.exclude(pk=caption.pk),
        sound=sounds_of(data_set, [name]).get(name, "") if hears else "",
        open=caption.findings.filter(verdict=Verdict.OPEN),
        decisions=decisions_of(caption),
        form=form or CaptionForm(initial={"text": caption.text}),
        seen=stamp,
    )


@signed_in_act()
def take_back(request: SignedInRequest, data_set: str, decision: int) -> HttpResponse:
    """Take a decision about a caption back; from the list of findings, all of the same act."""
    found = access.caption_decision_for(request.user, data_set, decision)
    in_list = "together" in request.POST
    text = decision_text(found) if in_list else ""
    undo = decisions_take_back if in_list else decision_take_back
    with refusal_told(request):
        undo(decision=found, act=act_of(request))
        messages.success(
            request, f"Taken back: {text}." if text else "The decision was taken back."
        )
    if in_list:
        address = reverse("annotation:data-set-findings", args=[data_set])
        return redirect(f"{address}?{_asked(request)[1]}#finding-{found.finding_id}")
    return redirect(
        "annotation:data-set-captions-item", data_set=data_set, caption=found.caption_id
    )


@signed_in_page
def decisions(request: SignedInRequest, data_set: str) -> HttpResponseBase:
    """Send a file of every decision."""
    found = access.data_set_for(request.user, data_set)
    wanted = request.GET.get("format", "csv")
    if wanted not in FORMATS:
        raise Http404
    return download_response(decisions_file(found, wanted))
