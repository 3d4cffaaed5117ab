"""Which sound descriptors captions have: of a phase with systems side by side, and of a system."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from leaderboard import access
from leaderboard.models import LabelledReferences
from leaderboard.selectors.analysis.comparing import RESAMPLES
from leaderboard.selectors.analysis.stamps import systems_stamp
from leaderboard.selectors.figures.words import descriptors_figure
from leaderboard.selectors.submissions.system_choice import listed_of, pool_of
from leaderboard.selectors.visibility.visibility import Visibility
from leaderboard.selectors.visibility.visible_submissions import AnySubmission
from leaderboard.selectors.words.counts import MEASURES, Measure
from leaderboard.selectors.words.files import counts_lines, texts_lines
from leaderboard.selectors.words.reading import REFERENCES, CaptionSet, sets_of, stored_of
from leaderboard.selectors.words.table import comparable, rows_of, text_rows
from leaderboard.web.file_responses import attachment
from leaderboard.web.page_cache import cached_fragment, cached_text, parts_rate_check
from leaderboard.web.rate_limits import visitor

MOST_SYSTEMS = 4
FIRST_SYSTEMS = 3
FILES = ("counts", "texts")


@dataclass(frozen=True, slots=True)
class WordsQuery:
    """What the address asks for; ``against`` is the key of a set, ``label`` "" for the first.

    ``sources`` are further systems from which the references' labels may be read, ``stored``
    the labels that were made where there is no such system. ``own`` is
    the system whose page it is; the others stand in the address under the name ``of``.
    """

    systems: tuple[AnySubmission, ...]
    sources: tuple[AnySubmission, ...]
    stored: LabelledReferences | None
    own: AnySubmission | None
    measure: Measure
    against: str
    label: str

    @property
    def key(self) -> tuple[object, ...]:
        """What tells the part of the page apart."""
        stored = self.stored and self.stored.pk
        return (self.of, len(self.systems), stored, self.measure, self.against, self.label)

    @property
    def of(self) -> str:
        """The name under which systems stand in the address."""
        return "s" if self.own is None else "with"

    def query(self, **changes: str) -> str:
        """Write the address's query anew."""
        parameters = {
            "measure": self.measure,
            "against": self.against,
            "label": self.label,
            **changes,
        }
        others = [system for system in self.systems if system != self.own]
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
    # In the order of the phase, whatever the address says: the same choice is one page.
    chosen = [option.public_id for option in pool.every if option.public_id in wanted]
    best = pool.best(FIRST_SYSTEMS)
    systems = pool.read(chosen[:MOST_SYSTEMS]) or [*best, *pool.unranked][:MOST_SYSTEMS]
    sources = [*best[:1], *pool.unranked[:1]]
    # Descriptors of references are shown once the phase opens, as the names of clips are.
    shown = access.may_see_clip_names(request.user, found, timezone.now())
    stored = stored_of(found) if shown else None
    asked = _asked(request, systems, sources, stored=stored)
    place = {"phase": found, "challenge": found.challenge}
    listed = pool.listed(request.GET.get("find", ""), asked.systems)
    ids = {system.public_id for system in asked.systems}
    context = {
        **place,
        "listed": listed,
        "chosen": ids,
        "most": MOST_SYSTEMS,
        "has_labels": asked.systems or stored,
    }
    name = f"{found.challenge.slug}-{found.slug}"
    return _answer(request, "leaderboard/words/phase.html", asked, view, context, name)


@require_safe
def system_words(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show the descriptors of a system beside its references, and another system's (``?with=``)."""
    submission = access.system_words_for(request.user, public_id)
    view = access.visibility_for(request.user, submission.phase, timezone.now())
    others = access.comparable_submissions(request.user, submission)
    wanted = request.GET.get("with", "")
    other = [row for row in others if row.public_id == wanted]
    if wanted and not other:
        raise Http404
    sources = [row for row in others if row.other_references_id is None][:1]
    stored = stored_of(submission.phase)
    asked = _asked(request, [submission, *other], sources, stored=stored, own=submission)
    place = {"phase": submission.phase, "challenge": submission.phase.challenge}
    listed = listed_of(others, request.GET.get("find", ""), other)
    context = {**place, "submission": submission, "listed": listed, "other": other}
    return _answer(request, "leaderboard/words/system.html", asked, view, context, public_id)


def _asked(
    request: HttpRequest,
    systems: Sequence[AnySubmission],
    sources: Sequence[AnySubmission],
    *,
    stored: LabelledReferences | None,
    own: AnySubmission | None = None,
) -> WordsQuery:
    """Read the rest of the address, nonsense replaced."""
    measure = request.GET.get("measure", "")
    keys = {REFERENCES, *(system.public_id for system in systems)}
    against = request.GET.get("against", "")
    return WordsQuery(
        systems=tuple(systems),
        sources=tuple(row for row in sources if row not in systems),
        stored=stored,
        own=own,
        measure=next((name for name in MEASURES if name == measure), "captions"),
        against=against if against in keys else REFERENCES,
        label=request.GET.get("label", "")[:80],
    )


def _answer(
    request: HttpRequest,
    template: str,
    asked: WordsQuery,
    view: Visibility,
    context: Mapping[str, Any],
    name: str,
) -> HttpResponse:
    stamp = systems_stamp([*asked.systems, *asked.sources])
    file = request.GET.get("csv", "")
    if file in FILES:
        text = cached_text(
            ("words", file, stamp, view, *asked.key),
            lambda: "".join(_lines(asked, file)),
            lambda: parts_rate_check(request, visitor(request)),
        )
        return attachment(text.encode(), f"{name}-{file}.csv", "text/csv; charset=utf-8")
    part = cached_fragment(
        request,
        "leaderboard/words/_report.html",
        (stamp, view, *asked.key),
        lambda: _content(asked),
    )
    more = {"asked": asked, "part": part, "measures": MEASURES.items()}
    return render(request, template, {**context, **more})


def _read(
    asked: WordsQuery,
) -> tuple[Sequence[CaptionSet], CaptionSet | None, Sequence[AnySubmission]]:
    """Read the sets, that which is compared with (None where there is no set), who has none."""
    sets = sets_of(asked.systems, references=asked.sources, stored=asked.stored)
    against = sets.of(asked.against) or next(iter(sets.sets), None)
    return sets.sets, against, sets.without


def _lines(asked: WordsQuery, file: str) -> list[str]:
    sets, against, _ = _read(asked)
    if against is None:
        return []
    if file == "counts":
        return list(counts_lines(sets, against))
    return list(texts_lines(sets, rows_of(sets, "spans", against)))


def _content(asked: WordsQuery) -> dict[str, Any]:
    sets, against, without = _read(asked)
    if against is None:
        return {"sets": (), "without": without}
    rows = rows_of(sets, asked.measure, against)
    label = next((row.label for row in rows if row.label == asked.label), None)
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
                "tops": list(zip(sets, row.top, strict=True)),
            }
            for row in rows
        ],
        "figure": descriptors_figure(sets, rows, asked.measure),
        "measure": asked.measure,
        "draws": RESAMPLES,
        "label": label,
        "labels": [(row.label, asked.query(label=row.label)) for row in rows],
        "texts": [
            {"text": row.text, "beside": list(zip(sets, row.counts, strict=True))}
            for row in text_rows(sets, label)
        ],
        "files": [(one, asked.query(csv=one)) for one in FILES],
    }
