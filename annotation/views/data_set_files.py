"""What is told of a data set: card, statistics, split, files; and publishing it."""

import json
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode

from annotation import access, tasks
from annotation.forms.data_sets import ProcedureForm, PublishForm, SplitForm
from annotation.models import DataSet
from annotation.selectors.data_sets.card import card_markdown, data_card, publication_preview
from annotation.selectors.data_sets.clips import (
    captioned_clips,
    parts_of,
    references_of_clips,
    shared_columns,
)
from annotation.selectors.data_sets.files import CAPTION_FILES, caption_file, hugging_face_download
from annotation.selectors.data_sets.splits import latest_split, published_parts, split_report_page
from annotation.selectors.data_sets.stages import sounds_of
from annotation.selectors.data_sets.tag_figures import tag_counts_figure
from annotation.services.data_sets.making import procedure_change
from annotation.services.data_sets.splits import SplitRequest, split_cancel, split_start
from annotation.views.data_sets import act_of, data_set_page
from earmark.datasets.describing import describe_captions, described_json
from leaderboard.selectors.figures.captions import caption_statistics
from leaderboard.views.organising.references import phase_human_row
from leaderboard.web.file_responses import attachment, download_response
from leaderboard.web.page_cache import cached_fragment
from leaderboard.web.refusals import Refused, refusal_told
from leaderboard.web.requests import (
    SignedInRequest,
    signed_in_act,
    signed_in_form,
    signed_in_page,
    signed_in_part,
)


@signed_in_form()
def card(request: SignedInRequest, data_set: str) -> HttpResponseBase:
    """Show the data card of a part (``?part=``), or send it (``?format=``); change its text."""
    found = access.data_set_for(request.user, data_set)
    part = part_asked(found, request.GET.get("part"))
    if request.method == "POST":
        form = ProcedureForm(request.POST)
        if form.is_valid():
            text = form.cleaned_data["procedure"]
            procedure_change(data_set=found, text=text, act=act_of(request))
            messages.success(
                request, "The text was saved. Cards published before stay as they are."
            )
            return redirect("annotation:data-set-card", data_set=found.slug)
        return _card_page(request, found, part, form)
    wanted = request.GET.get("format", "")
    if wanted not in {"", "json", "md"}:
        raise Http404
    if not wanted:
        return _card_page(request, found, part)
    shown = data_card(found, part)
    name = f"{found.slug}-{part}-card" if part else f"{found.slug}-card"
    if wanted == "json":
        text, kind = json.dumps(shown, ensure_ascii=False, indent=1), "application/json"
    else:
        text, kind = card_markdown(shown), "text/markdown; charset=utf-8"
    return attachment(text.encode(), f"{name}.{wanted}", kind)


def _card_page(
    request: SignedInRequest, data_set: DataSet, part: str, form: ProcedureForm | None = None
) -> HttpResponse:
    shown: dict[str, Any] = {
        "card": data_card(data_set, part),
        "part": part,
        "parts": parts_of(data_set),
        "form": form or ProcedureForm(initial={"procedure": data_set.procedure}),
    }
    return data_set_page(request, data_set, "card", **shown)


@signed_in_page
def statistics(request: SignedInRequest, data_set: str) -> HttpResponse:
    """Show statistics of a part (``?part=``) beside those of published data sets."""
    found = access.data_set_for(request.user, data_set)
    part = part_asked(found, request.GET.get("part"))
    clips = captioned_clips(found, part)
    captioned = [clip for clip in clips if clip.captions]
    parts = parts_of(found)
    shown: dict[str, Any] = {"part": part, "parts": parts, "clips": len(captioned)}
    if captioned:
        shown["statistics"] = cached_fragment(
            request,
            "leaderboard/references/_statistics.html",
            (references_of_clips(captioned).content_hash,),
            lambda: {
                "statistics": caption_statistics(
                    described_json(describe_captions([clip.captions for clip in captioned]))
                )
            },
        )
        shown["tags"] = tag_counts_figure(clip.meta for clip in clips)
    return data_set_page(request, found, "statistics", **shown)


@signed_in_page
def files(request: SignedInRequest, data_set: str) -> HttpResponseBase:
    """List the files that a data set can be had as; ``?format=`` sends one, of ``?part=``."""
    found = access.data_set_for(request.user, data_set)
    part = part_asked(found, request.GET.get("part"))
    wanted = request.GET.get("format", "")
    if wanted == "hugging-face":
        with_sounds = request.GET.get("sounds") == "yes"
        return download_response(hugging_face_download(found, sounds=with_sounds))
    if wanted in CAPTION_FILES:
        return download_response(caption_file(found, wanted, part))
    if wanted:
        raise Http404
    sounds = sounds_of(found)
    names = found.clips.values_list("file_name", flat=True)
    heard = [sounds[name].size for name in names if name in sounds]
    return data_set_page(
        request,
        found,
        "files",
        parts=parts_of(found),
        formats=CAPTION_FILES,
        sounds=len(heard),
        size=sum(heard),
    )


MOST_FAULTS = 20


def part_asked(data_set: DataSet, name: str | None) -> str:
    """A part of a data set by its name; "" is all of it. Raises ``Http404``."""
    if name and name not in parts_of(data_set):
        raise Http404
    return name or ""


@signed_in_form("annotation.publications", "20/m")
def publish(request: SignedInRequest, data_set: str) -> HttpResponse:
    """Show what a part (``?part=``) would become; publish it."""
    found = access.data_set_for(request.user, data_set)
    phases = access.organised_phases_for(request.user)
    if request.method != "POST":
        return _publish_page(request, found, part_asked(found, request.GET.get("part")))
    form = PublishForm(request.POST, phases=phases)
    part = part_asked(found, request.POST.get("part"))
    if not form.is_valid():
        return _publish_page(request, found, part, form)
    try:
        made = form.publish(found, act_of(request))
    except Refused as refused:
        for fault in refused.faults[:MOST_FAULTS] or (refused,):
            form.add_error(refused.field or None, str(fault))
    else:
        where = f" {made.phase} has them." if made.phase else " They are stored for later."
        messages.success(
            request,
            f"{made.reference_set.clip_count:,} clips with {made.reference_set.caption_count:,} "
            f"captions were published.{where}",
        )
        if made.phase and form.cleaned_data["human_row"]:
            phase_human_row(request, made.phase)
        address = reverse("annotation:data-set-publish", args=[found.slug])
        return redirect(f"{address}?{urlencode({'part': part})}" if part else address)
    return _publish_page(request, found, part, form)


def _publish_page(
    request: SignedInRequest, data_set: DataSet, part: str, form: PublishForm | None = None
) -> HttpResponse:
    preview = publication_preview(data_set, part)
    phases = access.organised_phases_for(request.user)
    looked = {"part": part, "seen": preview["content_hash"]}
    if form is not None:
        # What is shown now is what the next press publishes.
        form.data = dict(form.data.items()) | looked
    shown: dict[str, Any] = {
        "preview": preview,
        "parts": parts_of(data_set),
        "organised": phases,
        "form": form or PublishForm(phases=phases, initial=looked),
    }
    return data_set_page(request, data_set, "publish", **shown)


@signed_in_form("annotation.splits", "20/m")
def split(request: SignedInRequest, data_set: str) -> HttpResponse:
    """Show the split of a data set and the form of another; start one."""
    found = access.data_set_for(request.user, data_set)
    metas = found.clips.order_by().values_list("meta", flat=True)
    form = SplitForm(
        request.POST if request.method == "POST" else None,
        columns=shared_columns(metas.iterator(2000)),
        published=published_parts(found),
        split=SplitRequest.of(found.split["asked"]) if found.split else None,
    )
    if not form.is_valid():
        shown: dict[str, Any] = {
            "form": form,
            "run": latest_split(found),
            "report": split_report_page(found),
            "clips": found.clips.count(),
        }
        return data_set_page(request, found, "split", **shown)
    with refusal_told(request):
        run = split_start(data_set=found, request=form.request, act=act_of(request))
        tasks.SPLIT_TASKS.enqueue(run.pk)
    return redirect("annotation:data-set-split", data_set=found.slug)


@signed_in_part("annotation:data-set-split")
def progress(request: SignedInRequest, data_set: str) -> HttpResponse:
    """Show how far the latest split is: a part of its page, which polls it."""
    found = access.data_set_for(request.user, data_set)
    latest = latest_split(found)
    if latest is None:
        raise Http404
    context = {"data_set": found, "run": latest}
    return render(request, "annotation/data_sets/_split_progress.html", context)


@signed_in_act()
def cancel(request: SignedInRequest, data_set: str) -> HttpResponse:
    """Cancel the split that is under way."""
    found = access.data_set_for(request.user, data_set)
    latest = latest_split(found)
    if latest is None:
        raise Http404
    with refusal_told(request):
        at_once = split_cancel(run=latest, act=act_of(request))
        text = "The split is cancelled." if at_once else "The split stops at its next step."
        messages.success(request, f"{text} The parts are as they were.")
    return redirect("annotation:data-set-split", data_set=found.slug)
