"""Settling captions on which people differ; those who settle do not learn who they are."""

from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme

from annotation import access
from annotation.agreement.captions import ordered
from annotation.models import Item, Project, Role
from annotation.models.gold import LONGEST_NOTE
from annotation.selectors.adjudication.cases import (
    AdjudicationBoard,
    Case,
    adjudication_board_for,
    case_for,
    cases_of,
)
from annotation.selectors.adjudication.history import gold_history
from annotation.selectors.adjudication.questions import (
    Asking,
    Given,
    Question,
    given_in,
    letters_of,
    other_labels,
    questions_of,
)
from annotation.selectors.answers import labelled_runs
from annotation.selectors.labels import label_book, labelled_words
from annotation.selectors.tasks import audio_addresses, audio_origins, own_answered_items
from annotation.services.adjudication import (
    CaseChanged,
    Decision,
    gold_accept_single,
    gold_accept_unanimous,
    gold_decide,
    gold_reopen,
)
from annotation.services.answers import agreement_note_shown
from annotation.spans import OUTSIDE
from earmark.captions.faults import count_of
from leaderboard.web.file_responses import allow_media_from
from leaderboard.web.refusals import Refused
from leaderboard.web.requests import SignedInRequest, signed_in_act, signed_in_page

A_PAGE = 50


@signed_in_page
def adjudicate(request: SignedInRequest, project: str) -> HttpResponse:
    """Show what is settled and what waits for a decision."""
    found = access.project_for(request.user, project, role=Role.ADJUDICATOR)
    board = adjudication_board_for(found, request.user)
    settled = sorted(
        board.settled,
        key=lambda case: (-case.gold.settled_at.timestamp() if case.gold else 0, case.position),
    )
    page = Paginator(settled, A_PAGE).get_page(request.GET.get("page"))
    context = {
        "project": found,
        "board": board,
        "every": len(board.to_decide) + len(board.agreed) + len(board.settled),
        "to_decide": [_row(case) for case in board.to_decide[:A_PAGE]],
        "page": page,
        "settled": [_row(case) for case in page],
        "manages": access.has_role(request.user, found, Role.MANAGER),
    }
    return render(request, "annotation/adjudication/adjudicate.html", context)


def _row(case: Case) -> dict[str, Any]:
    gold = case.gold
    hows: list[dict[str, Any]] = gold.provenance if gold else []
    return {
        "item": case.item,
        "number": case.position + 1,
        "words": [
            {"word": word, "marked": number in case.in_dispute}
            for number, word in enumerate(case.words)
        ],
        "disputed": len(case.in_dispute),
        "of": len(case.words),
        "share": case.share,
        "outdated": case.outdated,
        "reopened": case.reopened,
        "decided": case.decided,
        "chosen": sum("chosen" in {row.get("how"), row.get("edge", {}).get("how")} for row in hows),
        "single": any(row.get("how") == "single" for row in hows),
        "by": gold.settled_by if gold else None,
        "at": gold.settled_at if gold else None,
    }


@signed_in_act()
def start(request: SignedInRequest, project: str) -> HttpResponse:
    """Settle what all agree on, and go to the first caption that needs a decision."""
    found = access.project_for(request.user, project, role=Role.ADJUDICATOR)
    count = gold_accept_unanimous(project=found, by=request.user, now=timezone.now())
    if count:
        settled = count_of(count, "caption")
        messages.success(request, f"Settled, because all agree on them: {settled}.")
    waiting = adjudication_board_for(found, request.user).to_decide
    if request.POST.get("then") != "decide" or not waiting:
        return redirect("annotation:adjudicate", found.slug)
    return redirect("annotation:adjudicate-item", found.slug, waiting[0].item)


@signed_in_act()
def single(request: SignedInRequest, project: str) -> HttpResponse:
    """Take the captions that one person alone had to label as settled."""
    found = access.project_for(request.user, project, role=Role.MANAGER)
    count = gold_accept_single(project=found, by=request.user, now=timezone.now())
    messages.success(request, f"Settled as they were labelled: {count_of(count, 'caption')}.")
    return redirect("annotation:adjudicate", found.slug)


@signed_in_page
def item(request: SignedInRequest, project: str, item_id: int) -> HttpResponse:
    """Ask for what people differ on in a caption, or for every word of it."""
    caption = access.item_to_decide(request.user, project, item_id)
    asking = Asking(split="split" in request.GET, every="every" in request.GET)
    return _page(request, caption, asking)


@signed_in_act()
def settle(request: SignedInRequest, project: str, item_id: int) -> HttpResponse:
    """Keep a decision or a correction; after a decision the next caption follows."""
    caption = access.item_to_decide(request.user, project, item_id)
    posted = request.POST.dict()
    asking = Asking(split=bool(posted.get("split")), every=bool(posted.get("every")))
    draft = given_in(posted, cases_of(caption.project, [caption.pk])[0], asking)
    note = posted.get("note", "")
    decision = Decision(draft.choices, posted.get("seen", ""), draft.edges, note)
    board = adjudication_board_for(caption.project, request.user)
    waited = caption.pk in {case.item for case in board.to_decide}
    following = _following(caption, board)
    now = timezone.now()
    try:
        gold_decide(item=caption, decision=decision, by=request.user, now=now)
    except Refused as refused:
        kept = None if isinstance(refused, CaseChanged) else draft
        return _page(request, caption, asking, kept, fault=refused, note=note)
    gold_accept_unanimous(project=caption.project, by=request.user, now=now, board=board)
    if not waited:
        messages.success(request, f"Caption {caption.position + 1} is settled so.")
        return redirect("annotation:adjudicate-item", project, caption.pk)
    if following is None:
        messages.success(request, "Every caption in dispute is settled.")
        return redirect("annotation:adjudicate", project)
    return redirect("annotation:adjudicate-item", project, following)


@signed_in_act()
def reopen(request: SignedInRequest, project: str, item_id: int) -> HttpResponse:
    """Take back what is settled; it stays as past, and the caption waits for a decision."""
    caption = access.item_to_decide(request.user, project, item_id)
    reason, seen = request.POST.get("reason", ""), request.POST.get("seen", "")
    now = timezone.now()
    try:
        gold_reopen(item=caption, by=request.user, now=now, seen=seen, reason=reason)
    except Refused as refused:
        return _page(request, caption, Asking(), fault=refused, reason=reason)
    return redirect("annotation:adjudicate-item", project, caption.pk)


def _following(caption: Item, board: AdjudicationBoard) -> int | None:
    """The next caption that needs a decision, round to the first after the last."""
    waiting = [case.item for case in board.to_decide]
    at = waiting.index(caption.pk) if caption.pk in waiting else -1
    rest = [*waiting[at + 1 :], *waiting[: max(at, 0)]]
    return rest[0] if rest else None


def _page(
    request: SignedInRequest,
    caption: Item,
    asking: Asking,
    draft: Given | None = None,
    *,
    fault: Refused | None = None,
    **sent: str,
) -> HttpResponse:
    """A caption as it is asked for; ``draft`` and what was ``sent`` could not be kept."""
    project: Project = caption.project
    board = adjudication_board_for(project, request.user)
    seen = case_for(caption, request.user)
    case = seen or replace(cases_of(project, [caption.pk])[0], votes=(), gold=None, past=())
    if seen is not None:
        # Who labelled it knows now what others say of it.
        agreement_note_shown(project=project, user=request.user, now=timezone.now())
    # Where there is nothing to decide, what can be done is to correct.
    asking = asking if case.in_dispute else replace(asking, every=True)
    book = label_book(project)
    questions = questions_of(case, book, asking, draft)
    context = {
        "project": project,
        "case": case,
        "veiled": seen is None,
        "manages": access.has_role(request.user, project, Role.MANAGER),
        "own": caption.pk in own_answered_items(project, request.user),
        "number": case.position + 1,
        "audio": audio_addresses([caption]).get(caption.pk)
        or _own_address(caption.meta.get("audio")),
        "asking": asking,
        "shown": {"note": "", "reason": "", "fault": fault, **sent},
        "longest": LONGEST_NOTE,
        "board": board,
        "following": _following(caption, board),
        "waits": caption.pk in {row.item for row in board.to_decide},
        "questions": questions,
        "several": any(isinstance(row, Question) and row.last > row.first for row in questions),
        "others": other_labels(case, book),
        **_labels_shown(case, project),
    }
    status = 200 if fault is None else fault.status
    page = render(request, "annotation/adjudication/item.html", context, status=status)
    return allow_media_from(request, page, audio_origins(project))


def _labels_shown(case: Case, project: Project) -> dict[str, Any]:
    """The caption with what people say of it, with what is settled, and how that came."""
    book, inventory = label_book(project), project.scheme.inventory
    agreed = case.votes[0].labels if case.votes else (OUTSIDE,) * len(case.words)
    return {
        "gloss": labelled_words(case.words, (agreed,), book, case.disputed),
        "votes": [
            (letter, vote, labelled_runs(case.tokens, ordered(vote.spans), inventory))
            for letter, vote in zip(letters_of(case), case.votes, strict=True)
        ],
        "settled": case.gold and labelled_runs(case.tokens, case.gold.spans, inventory),
        "events": [
            (event, labelled_runs(case.tokens, event.gold.spans, inventory))
            for event in gold_history(case, book)
        ],
    }


def _own_address(address: object) -> str:
    """An address on this site as it stands, nothing for any other."""
    if not isinstance(address, str) or not address.startswith("/"):
        return ""
    return address if url_has_allowed_host_and_scheme(address, allowed_hosts=None) else ""
