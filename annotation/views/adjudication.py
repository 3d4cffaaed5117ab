"""Settling captions on which people differ; those who settle do not learn who they are."""

from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST, require_safe

from annotation import access
from annotation.models import Item, Project, Role
from annotation.selectors.adjudication.cases import (
    AdjudicationBoard,
    Case,
    adjudication_board_for,
    cases_of,
)
from annotation.selectors.adjudication.questions import (
    choices_in,
    letters_of,
    other_labels,
    questions_of,
)
from annotation.selectors.labels import label_book, labelled_words
from annotation.selectors.tasks import (
    audio_addresses,
    audio_origins,
    own_answered_items,
    unanswered_gold_items,
)
from annotation.services.adjudication import (
    CaseChanged,
    Decision,
    GoldFault,
    gold_accept_single,
    gold_accept_unanimous,
    gold_decide,
    gold_reopen,
)
from annotation.services.answers import agreement_note_shown
from annotation.spans import OUTSIDE
from leaderboard.web.file_responses import allow_media_from
from leaderboard.web.requests import SignedInRequest

A_PAGE = 50


@login_required
@require_safe
@never_cache
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
            {"word": word, "marked": number in case.disputed}
            for number, word in enumerate(case.words)
        ],
        "disputed": len(case.disputed),
        "of": len(case.words),
        "share": case.share,
        "outdated": case.outdated,
        "chosen": sum(row.get("how") == "chosen" for row in hows),
        "single": any(row.get("how") == "single" for row in hows),
        "by": gold.settled_by if gold else None,
        "at": gold.settled_at if gold else None,
    }


@login_required
@require_POST
def start(request: SignedInRequest, project: str) -> HttpResponse:
    """Settle what all agree on, and go to the first caption that needs a decision."""
    found = access.project_for(request.user, project, role=Role.ADJUDICATOR)
    count = gold_accept_unanimous(project=found, by=request.user, now=timezone.now())
    if count:
        messages.success(request, f"Settled, because all agree on them: {_captions(count)}.")
    waiting = adjudication_board_for(found, request.user).to_decide
    if request.POST.get("then") != "decide" or not waiting:
        return redirect("annotation:adjudicate", found.slug)
    return redirect("annotation:adjudicate-item", found.slug, waiting[0].item)


@login_required
@require_POST
def single(request: SignedInRequest, project: str) -> HttpResponse:
    """Take the captions that one person alone had to label as settled."""
    found = access.project_for(request.user, project, role=Role.MANAGER)
    count = gold_accept_single(project=found, by=request.user, now=timezone.now())
    messages.success(request, f"Settled as they were labelled: {_captions(count)}.")
    return redirect("annotation:adjudicate", found.slug)


def _captions(count: int) -> str:
    return "1 caption" if count == 1 else f"{count} captions"


@login_required
@require_GET
@never_cache
def item(request: SignedInRequest, project: str, item_id: int) -> HttpResponse:
    """Ask for the words of a caption that are in dispute."""
    found = access.item_to_decide(request.user, project, item_id)
    return _page(request, found, split="split" in request.GET)


@login_required
@require_POST
def settle(request: SignedInRequest, project: str, item_id: int) -> HttpResponse:
    """Keep a decision and go to the next caption."""
    found = access.item_to_decide(request.user, project, item_id)
    case, split = cases_of(found.project, [found.pk])[0], bool(request.POST.get("split"))
    questions = questions_of(case, label_book(found.project), split=split, chosen={})
    choices = choices_in(request.POST.dict(), questions)
    decision = Decision(choices, request.POST.get("seen", ""))
    board = adjudication_board_for(found.project, request.user)
    following = _following(found, board)
    now = timezone.now()
    try:
        gold_decide(item=found, decision=decision, by=request.user, now=now)
    except GoldFault as fault:
        return _page(request, found, split=split, choices=choices, fault=fault, status=422)
    except CaseChanged as moved:
        return _page(request, found, split=split, fault=moved, status=409)
    gold_accept_unanimous(project=found.project, by=request.user, now=now, board=board)
    if following is None:
        messages.success(request, "Every caption in dispute is settled.")
        return redirect("annotation:adjudicate", project)
    return redirect("annotation:adjudicate-item", project, following)


@login_required
@require_POST
def reopen(request: SignedInRequest, project: str, item_id: int) -> HttpResponse:
    """Take a decision back; it stays as past, and the caption waits for one again."""
    found = access.item_to_decide(request.user, project, item_id)
    reason = " ".join(request.POST.get("reason", "").split())
    try:
        gold_reopen(item=found, by=request.user, now=timezone.now(), reason=reason)
    except GoldFault as fault:
        messages.error(request, str(fault))
        return redirect("annotation:adjudicate", project)
    return redirect("annotation:adjudicate-item", project, found.pk)


def _following(found: Item, board: AdjudicationBoard) -> int | None:
    """The next caption that needs a decision, round to the first after the last."""
    waiting = [case.item for case in board.to_decide]
    at = waiting.index(found.pk) if found.pk in waiting else -1
    rest = [*waiting[at + 1 :], *waiting[: max(at, 0)]]
    return rest[0] if rest else None


def _page(
    request: SignedInRequest,
    found: Item,
    *,
    split: bool,
    choices: dict[int, str] | None = None,
    fault: Exception | None = None,
    status: int = 200,
) -> HttpResponse:
    project: Project = found.project
    hidden = unanswered_gold_items(project, request.user)
    board = adjudication_board_for(project, request.user)
    own = found.pk in own_answered_items(project, request.user)
    case, book = cases_of(project, [found.pk])[0], label_book(project)
    veiled = found.pk in hidden or not (case.ready or case.gold)
    if veiled:
        case = replace(case, votes=(), gold=None, past=())
    else:
        # Who labelled it knows now what others say of it.
        agreement_note_shown(project=project, user=request.user, now=timezone.now())
    questions = questions_of(case, book, split=split, chosen=choices)
    agreed = case.votes[0].labels if case.votes else (OUTSIDE,) * len(case.words)
    context = {
        "project": project,
        "case": case,
        "veiled": veiled,
        "own": own,
        "number": case.position + 1,
        "audio": audio_addresses([found]).get(found.pk) or _own_address(found.meta.get("audio")),
        "gloss": labelled_words(case.words, (agreed,), book, case.disputed),
        "questions": questions,
        "several": any(question.last > question.first for question in questions),
        "split": split,
        "others": other_labels(case, book),
        "votes": [
            (letter, vote)
            for letter, vote in zip(letters_of(case), case.votes, strict=True)
            if vote.comment or vote.late
        ],
        "past": [
            (row, labelled_words(case.words, (tuple(row.labels),), book)) for row in case.past
        ],
        "board": board,
        "following": _following(found, board),
        "fault": fault,
    }
    page = render(request, "annotation/adjudication/item.html", context, status=status)
    return allow_media_from(request, page, audio_origins(project))


def _own_address(address: object) -> str:
    """An address on this site as it stands, nothing for any other."""
    if not isinstance(address, str) or not address.startswith("/"):
        return ""
    return address if url_has_allowed_host_and_scheme(address, allowed_hosts=None) else ""
