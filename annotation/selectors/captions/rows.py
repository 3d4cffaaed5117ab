"""Captions as a page lists them: text with labels, people, how far they agree."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from annotation.models import Annotation, Project
from annotation.selectors.adjudication.cases import Case, cases_of
from annotation.selectors.captions.facts import CaptionFacts
from annotation.selectors.labels import LabelBook, LabelDisplay, label_book
from annotation.spans import OUTSIDE


@dataclass(frozen=True, slots=True)
class CaptionRun:
    """Words next to each other with the labels that are settled or that people gave them.

    ``labels`` is empty for none; several are in dispute. ``gap`` is the white space after it.
    """

    text: str
    gap: str
    labels: tuple[LabelDisplay, ...]
    disputed: bool


@dataclass(frozen=True, slots=True)
class CaptionRow:
    """A caption of a page.

    ``answered``, ``uncounted`` and ``at_hand`` are names, empty where they are hidden from
    who looks; so are ``removed_by`` and ``comments``, each with its name and whether it is on
    a test.
    """

    facts: CaptionFacts
    runs: list[CaptionRun]
    answered: tuple[str, ...] = ()
    uncounted: tuple[str, ...] = ()
    at_hand: tuple[str, ...] = ()
    comments: tuple[tuple[str, str, bool], ...] = ()
    removed_by: str = ""


def caption_rows(
    project: Project, facts: Sequence[CaptionFacts], names: Mapping[int, str] | None
) -> list[CaptionRow]:
    """Describe captions, in five queries at most; ``names`` is None where people are hidden.

    Those that were removed are described as any other.
    """
    book, items = label_book(project), [row.item for row in facts]
    cases = {case.item: case for case in cases_of(project, items, removed=True)}
    shown = [row for row in facts if row.item in cases]
    runs = {row.item: caption_runs(cases[row.item], book) for row in shown}
    if names is None:
        return [CaptionRow(row, runs[row.item]) for row in shown]
    comments: dict[int, list[tuple[str, str, bool]]] = {}
    said = Annotation.with_removed.filter(item__in=items).exclude(comment="").order_by("pk")
    for item, user, comment, test in said.values_list("item", "user", "comment", "test"):
        comments.setdefault(item, []).append((names.get(user, ""), comment, test))

    def named(users: Iterable[int]) -> tuple[str, ...]:
        return tuple(names.get(user, "") for user in users)

    return [
        CaptionRow(
            row,
            runs[row.item],
            answered=named(row.answered),
            uncounted=named(row.uncounted),
            at_hand=named(row.at_hand),
            comments=tuple(comments.get(row.item, ())),
            removed_by="" if row.removed_by is None else names.get(row.removed_by, ""),
        )
        for row in shown
    ]


def caption_runs(case: Case, book: LabelBook) -> list[CaptionRun]:
    """Cut a caption where its labels change: what is settled, else what people say."""
    found = [_labels(case, word) for word in range(len(case.words))]
    disputed = frozenset(() if case.gold else case.in_dispute)
    numbers = range(len(case.words))
    return [
        _run(case, list(words), tuple(book[name] for name in names), disputed)
        for names, words in groupby(numbers, key=found.__getitem__)
    ]


def _labels(case: Case, word: int) -> tuple[str, ...]:
    if case.gold is not None:
        names = [case.gold.labels[word]]
    else:
        names = list(dict.fromkeys(vote.labels[word] for vote in case.votes))
    return () if names == [OUTSIDE] else tuple(names)


def _run(
    case: Case, words: list[int], labels: tuple[LabelDisplay, ...], disputed: frozenset[int]
) -> CaptionRun:
    tokens = [case.tokens[word] for word in words]
    text = "".join(f"{token['text']}{' ' if token.get('ws') else ''}" for token in tokens)
    gap = " " if tokens[-1].get("ws") else ""
    return CaptionRun(text.removesuffix(gap), gap, labels, not disputed.isdisjoint(words))
