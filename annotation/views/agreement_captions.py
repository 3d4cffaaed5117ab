"""The captions behind a cell of the confusion matrix."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.core.paginator import Page, Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation import access
from annotation.agreement.captions import Caption, pairs_of, where_either_said, where_said
from annotation.models import Role
from annotation.selectors.agreeing import NoSuchPair, Pair, pair_chosen
from annotation.selectors.agreement import Answers, Reading
from annotation.selectors.label_book import LabelBook, glosses, label_book
from annotation.selectors.people import Eye, people_of, reading_for
from annotation.services.lateness import agreement_seen
from annotation.views.agreement import ANYONE, answers_in, number_in
from leaderboard.views.requests import SignedInRequest

A_PAGE = 50
Found = list[tuple[Caption, tuple[int, ...]]]


@dataclass(frozen=True, slots=True)
class Cell:
    """What two people say of a word, "O" for nothing; ``pair`` is None for any two people."""

    a: str
    b: str
    pair: Pair | None


@login_required
@require_safe
@never_cache
def captions(request: SignedInRequest, project: str) -> HttpResponse:
    """List the captions with words that ``?one=`` calls ``?a=`` and ``?other=`` calls ``?b=``.

    Who settles without knowing who said what gets those that any two people call
    so, whoever said which, with what people say in the order of adjudication.
    """
    found = access.agreement_for(request.user, project)
    eye = access.eye_for(request.user, found)
    agreement_seen(project=found, user=request.user, now=timezone.now())
    reading = reading_for(found, eye, answers_in(request))
    cell, book = _cell(request, reading, eye), label_book(found)
    rows = _rows(reading, cell)
    page = Paginator(rows, A_PAGE).get_page(request.GET.get("page"))
    context = {
        "project": found,
        "pair": cell.pair,
        "who": [person.name for person in cell.pair] if cell.pair else ANYONE,
        "a": book[cell.a],
        "b": book[cell.b],
        "words": sum(len(words) for _, words in rows),
        "page": page,
        "query": _query(cell, reading.answers),
        "back": "" if reading.answers == Answers.FIRST else f"&answers={reading.answers}",
        "settles": access.has_role(request.user, found, Role.ADJUDICATOR),
        "rows": _shown(page, cell, book),
    }
    return render(request, "annotation/agreement_captions.html", context)


def _cell(request: SignedInRequest, reading: Reading, eye: Eye) -> Cell:
    """Read which cell is asked for; one that is none is not found."""
    pair = None if eye.blind else _pair(request, reading, eye)
    a, b = request.GET.get("a", ""), request.GET.get("b", "")
    if a not in reading.names or b not in reading.names:
        raise Http404
    return Cell(a, b, pair)


def _pair(request: SignedInRequest, reading: Reading, eye: Eye) -> Pair:
    people, pairs = people_of(reading, eye), pairs_of(reading.captions)
    try:
        return pair_chosen(people, pairs, number_in(request, "one"), number_in(request, "other"))
    except NoSuchPair as error:
        raise Http404 from error


def _rows(reading: Reading, cell: Cell) -> Found:
    if cell.pair is None:
        return where_either_said(reading.captions, cell.a, cell.b)
    return where_said(reading.captions, cell.pair[0].key, cell.pair[1].key, cell.a, cell.b)


def _query(cell: Cell, answers: Answers) -> str:
    way = {} if answers == Answers.FIRST else {"answers": answers.value}
    people = {} if cell.pair is None else {"one": cell.pair[0].number, "other": cell.pair[1].number}
    return urlencode(people | {"a": cell.a, "b": cell.b} | way)


def _shown(
    page: Page[tuple[Caption, tuple[int, ...]]],
    cell: Cell,
    book: LabelBook,
) -> list[dict[str, object]]:
    """Put under the words of a page's captions what the pair says of them, or everyone."""
    rows = list(page)
    said = _said_by_anyone(rows) if cell.pair is None else _said_by(cell.pair, rows)
    return [
        {
            "item": caption.key,
            "gloss": glosses(caption.words, said.get(int(caption.key), ()), book, words),
        }
        for caption, words in rows
    ]


def _said_by(pair: Pair, rows: Found) -> dict[int, tuple[tuple[str, ...], ...]]:
    return {
        int(caption.key): tuple(caption.said[person.key].labels for person in pair)
        for caption, _ in rows
    }


def _said_by_anyone(rows: Found) -> dict[int, tuple[tuple[str, ...], ...]]:
    """Give what people say in the order of the letters of adjudication."""
    return {
        int(caption.key): tuple(labelling.labels for labelling in caption.said.values())
        for caption, _ in rows
    }
