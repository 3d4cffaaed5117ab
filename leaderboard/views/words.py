"""Which sound descriptors captions have: of a phase with systems side by side, and of a system."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from earmark.statistics import PAIRED_RESAMPLES
from leaderboard import access
from leaderboard.selectors.figures.words import descriptors_figure
from leaderboard.selectors.submissions.system_choice import listed_of, pool_of
from leaderboard.selectors.visibility.visibility import Visibility
from leaderboard.selectors.words.counts import MEASURES, Measure
from leaderboard.selectors.words.reading import (
    MOST_SYSTEMS,
    REFERENCES,
    WordsChoice,
    words_of_phase,
    words_of_system,
)
from leaderboard.selectors.words.table import (
    comparable,
    counts_lines,
    rows_of,
    text_rows,
    texts_lines,
)
from leaderboard.views.pages import phase_context
from leaderboard.web.file_responses import attachment
from leaderboard.web.page_cache import cached_fragment, cached_text, parts_rate_check
from leaderboard.web.rate_limits import visitor

FILES = ("counts", "texts")
# Texts of each descriptor that the page shows at first.
MOST_TOP = 5


@dataclass(frozen=True, slots=True)
class WordsQuery:
    """What the address asks for; ``against`` is the key of a set, ``label`` "" for the first.

    The systems beside that of a system's page stand in the address under the name ``of``.
    """

    choice: WordsChoice
    measure: Measure
    against: str
    label: str

    @property
    def key(self) -> tuple[object, ...]:
        """What tells the part of the page apart."""
        return (self.of, self.choice.stamp, self.measure, self.against, self.label)

    @property
    def of(self) -> str:
        """The name under which systems stand in the address."""
        return "s" if self.choice.own is None else "with"

    def query(self, **changes: str) -> str:
        """Write the address's query anew."""
        parameters = {
            "measure": self.measure,
            "against": self.against,
            "label": self.label,
            **changes,
        }
        others = [system for system in self.choice.systems if system != self.choice.own]
        pairs = [(self.of, system.public_id) for system in others]
        return urlencode([*pairs, *((key, value) for key, value in parameters.items() if value)])


@require_safe
def phase_words(request: HttpRequest, challenge: str, phase: str) -> HttpResponse:
    """Show the descriptors of a phase's references and of chosen systems (``?s=``, repeated).

    ``?measure=`` says what is counted, ``?against=`` with which set shares are compared,
    ``?label=`` whose texts are listed, ``?csv=`` which file is wanted.
    """
    found = access.words_for(request.user, challenge, phase)
    view = access.visibility_for(request.user, found, timezone.now())
    pool = pool_of(found, view=view)
    wanted = set(request.GET.getlist("s"))
    if not pool.has(wanted):
        raise Http404
    # Descriptors of references are shown once the phase opens, as the names of clips are.
    shown = access.may_see_clip_names(request.user, found, timezone.now())
    choice = words_of_phase(found, pool, wanted, references_shown=shown)
    context = {
        **phase_context(found),
        "listed": pool.listed(request.GET.get("find", ""), choice.systems),
        "chosen": {system.public_id for system in choice.systems},
        "most": MOST_SYSTEMS,
        "has_labels": choice.systems or choice.stored,
    }
    name = f"{found.challenge.slug}-{found.slug}"
    return _answer(
        request, "leaderboard/words/phase.html", _asked(request, choice), view, context, name
    )


@require_safe
def system_words(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show the descriptors of a system beside its references, and another system's (``?with=``)."""
    submission = access.system_words_for(request.user, public_id)
    view = access.visibility_for(request.user, submission.phase, timezone.now())
    others = access.comparable_submissions(request.user, submission)
    choice = words_of_system(submission, others, request.GET.get("with", ""))
    if choice is None:
        raise Http404
    other = choice.systems[1:]
    context = {
        **phase_context(submission.phase),
        "submission": submission,
        "listed": listed_of(others, request.GET.get("find", ""), other),
        "other": other,
    }
    query = _asked(request, choice)
    return _answer(request, "leaderboard/words/system.html", query, view, context, public_id)


def _asked(request: HttpRequest, choice: WordsChoice) -> WordsQuery:
    measure, against = request.GET.get("measure", ""), request.GET.get("against", "")
    return WordsQuery(
        choice,
        measure=next((name for name in MEASURES if name == measure), "captions"),
        against=against if choice.has(against) else REFERENCES,
        label=request.GET.get("label", "")[:80],
    )


def _answer(
    request: HttpRequest,
    template: str,
    query: WordsQuery,
    view: Visibility,
    context: Mapping[str, Any],
    name: str,
) -> HttpResponse:
    file = request.GET.get("csv", "")
    if file in FILES:
        text = cached_text(
            ("words", file, view, *query.key),
            lambda: "".join(_lines(query, file)),
            lambda: parts_rate_check(request, visitor(request)),
        )
        return attachment(text.encode(), f"{name}-{file}.csv", "text/csv; charset=utf-8")
    part = cached_fragment(
        request,
        "leaderboard/words/_report.html",
        (view, *query.key),
        lambda: _content(query),
    )
    more = {"asked": query, "part": part, "measures": MEASURES.items()}
    return render(request, template, {**context, **more})


def _lines(query: WordsQuery, file: str) -> list[str]:
    sets, against, _ = query.choice.read(query.against)
    if against is None:
        return []
    if file == "counts":
        return list(counts_lines(sets, against))
    return list(texts_lines(sets, rows_of(sets, "spans", against)))


def _content(query: WordsQuery) -> dict[str, Any]:
    sets, against, without = query.choice.read(query.against)
    if against is None:
        return {"sets": (), "without": without}
    rows = rows_of(sets, query.measure, against)
    label = next((row.label for row in rows if row.label == query.label), None)
    label = label or next((row.label for row in rows), "")
    return {
        "sets": sets,
        "without": without,
        "against": against,
        "unlike": [one for one in sets if not comparable(one, against)],
        "labellers": sorted({one.labeller for one in sets}),
        "rows": [
            {
                "label": row.label,
                "beside": list(zip(sets, row.cells, strict=True)),
                "tops": [(one, one.counts.label(row.label).top(MOST_TOP)) for one in sets],
            }
            for row in rows
        ],
        "figure": descriptors_figure(sets, rows, query.measure),
        "measure": query.measure,
        "draws": PAIRED_RESAMPLES,
        "label": label,
        "labels": [(row.label, query.query(label=row.label)) for row in rows],
        "texts": text_rows(sets, label),
        "files": [(one, query.query(csv=one)) for one in FILES],
    }
