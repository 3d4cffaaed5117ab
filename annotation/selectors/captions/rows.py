"""Captions as a page lists them, and everything that happened to one, the latest first."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from typing import Any

from annotation.agreement.captions import ordered, word_labels
from annotation.models import (
    INCOMPLETE,
    Annotation,
    Answer,
    AssignmentRecord,
    Import,
    Item,
    Lateness,
    Project,
    Revision,
    Suggestion,
)
from annotation.selectors.adjudication.cases import Case, cases_of
from annotation.selectors.adjudication.history import (
    LabelChange,
    LabelledVersion,
    gold_history,
    label_changes,
)
from annotation.selectors.answers import LabelledRun, labelled_runs
from annotation.selectors.captions.facts import CaptionFacts
from annotation.selectors.labels import LabelBook, label_book
from annotation.spans import OUTSIDE
from leaderboard.models import AuditEvent, User


def caption_rows(
    project: Project, facts: Sequence[CaptionFacts], names: Mapping[int, str] | None
) -> list[dict[str, Any]]:
    """Captions of a page, in five queries at most; ``names`` is None where people are hidden.

    Those that were removed are described as any other. ``answered``, ``uncounted`` and ``at_hand``
    are names, not there where people are hidden; so are ``removed_by`` and ``comments``, each with
    its name and whether it is on a test.
    """
    book, items = label_book(project), [row.item for row in facts]
    cases = {case.item: case for case in cases_of(project, items, removed=True)}
    shown = [row for row in facts if row.item in cases]
    runs = {row.item: _runs(cases[row.item], book) for row in shown}
    if names is None:
        return [{"facts": row, "runs": runs[row.item]} for row in shown]
    comments: dict[int, list[tuple[str, str, bool]]] = {}
    annotations = Annotation.with_removed.filter(item__in=items).exclude(comment="").order_by("pk")
    for item, user, comment, test in annotations.values_list("item", "user", "comment", "test"):
        comments.setdefault(item, []).append((names.get(user, ""), comment, test))

    def named(users: Iterable[int]) -> list[str]:
        return [names.get(user, "") for user in users]

    return [
        {
            "facts": row,
            "runs": runs[row.item],
            "answered": named(row.answered),
            "uncounted": named(row.uncounted),
            "at_hand": named(row.at_hand),
            "comments": comments.get(row.item, []),
            "removed_by": "" if row.removed_by is None else names.get(row.removed_by, ""),
        }
        for row in shown
    ]


def _runs(case: Case, book: LabelBook) -> list[dict[str, Any]]:
    """Cut a caption where its labels change: what is settled, else what people say.

    Of each run of words its text, the white space after it (``gap``), its ``labels`` (none, one, or
    several in dispute), and whether it is ``disputed``.
    """
    labels = [_labels(case, word) for word in range(len(case.words))]
    disputed = frozenset(() if case.gold else case.in_dispute)
    runs = []
    for names, numbers in groupby(range(len(case.words)), key=labels.__getitem__):
        words = list(numbers)
        tokens = [case.tokens[word] for word in words]
        text = "".join(f"{token['text']}{' ' if token.get('ws') else ''}" for token in tokens)
        gap = " " if tokens[-1].get("ws") else ""
        runs.append(
            {
                "text": text.removesuffix(gap),
                "gap": gap,
                "labels": [book[name] for name in names],
                "disputed": not disputed.isdisjoint(words),
            }
        )
    return runs


def _labels(case: Case, word: int) -> tuple[str, ...]:
    if case.gold is not None:
        names = [case.gold.labels[word]]
    else:
        names = list(dict.fromkeys(vote.labels[word] for vote in case.votes))
    return () if names == [OUTSIDE] else tuple(names)


_SAID = {Answer.ACCEPT: "answered", Answer.REJECT: "rejected it", Answer.IGNORE: "skipped it"}
_LATE = {
    Lateness.SHOWN: "Late: others' answers could be known.",
    Lateness.SETTLED: "Late: the caption had been settled.",
}

_REMOVED, _BROUGHT_BACK = "labelling.captions-remove", "labelling.captions-bring-back"
# What managers did with chosen captions, as a sentence without its subject.
_MANAGED = {
    "labelling.hand-over": "handed it to {person}",
    "labelling.ask-again": "asked for one more answer{whose}",
    "labelling.send-back": "sent it back to those who answered",
    _REMOVED: "removed it from the project",
    _BROUGHT_BACK: "brought it back into the project",
}
_DECIDED = {"Taken back": "took the decision back"}


@dataclass(frozen=True, slots=True)
class CaptionEvent:
    """Something that happened to a caption.

    ``who`` did ``what`` (a sentence without its subject); "" where nobody did or who did has
    left. ``notes`` say more, ``labels`` is the caption as it was labelled then.
    """

    at: datetime
    who: str
    what: str
    notes: tuple[str, ...] = ()
    labels: list[LabelledRun] = field(default_factory=list)
    changes: tuple[LabelChange, ...] = ()


def caption_history(
    item: Item, names: Mapping[int, str]
) -> tuple[list[tuple[Annotation, str, list[LabelledRun]]], list[CaptionEvent]]:
    """What people say of a caption now, and all that happened to it, the latest first.

    Each answer with whose it is, and the caption as it is labelled there. In a number of queries
    that does not grow; ``names`` are the people's by id.
    """
    reader = _Reader(item, names)
    # Answers to a test caption, too, which count nowhere.
    rows = Annotation.with_removed.filter(item=item).select_related("user", "imported_in__by")
    rows = rows.defer("imported_in__content").prefetch_related("revisions")
    answers = list(rows.order_by("created_at", "pk"))
    events = [
        *reader.added(),
        *reader.suggested(),
        *reader.handed(),
        *reader.managed(),
        *(event for row in answers for event in reader.versions(row)),
        *reader.settled(),
    ]
    # Of what happened at once, what stands later here came later.
    events.sort(key=lambda event: event.at)
    shown = [
        (
            row,
            reader.name(row.user),
            labelled_runs(item.tokens, ordered(row.spans), reader.inventory, row.taken),
        )
        for row in answers
        if not row.test
    ]
    return shown, events[::-1]


class _Reader:
    def __init__(self, item: Item, names: Mapping[int, str]) -> None:
        self._item, self._names = item, names
        target = f"labelling/{item.project.slug}"
        acts = AuditEvent.objects.filter(target=target, action__in=_MANAGED).select_related("actor")
        self._acts = [row for row in acts if item.pk in row.details["items"]]
        self._book: LabelBook = label_book(item.project)
        self.inventory = item.project.scheme.inventory

    def name(self, user: User | None) -> str:
        """The name of somebody in the project; who is not in it has the user name."""
        return "" if user is None else self._names.get(user.pk, user.get_username())

    def added(self) -> Iterator[CaptionEvent]:
        """How the caption came into the project."""
        file = Import.objects.filter(items=self._item).defer("content")
        record = file.select_related("by").first()
        if record is None:
            yield CaptionEvent(self._item.created_at, "", "Added to the project")
        else:
            what = f"imported it with the file {record.file_name}"
            who = self.name(record.by) or "A command on the server"
            yield CaptionEvent(self._item.created_at, who, what)

    def suggested(self) -> Iterator[CaptionEvent]:
        """What a labeller suggested last."""
        for row in Suggestion.with_removed.filter(item=self._item):
            labels = labelled_runs(self._item.tokens, row.spans, self.inventory)
            what = f"The labeller {row.identity} suggested labels"
            yield CaptionEvent(row.made_at, "", what, labels=labels)

    def handed(self) -> Iterator[CaptionEvent]:
        """When it was first handed to each person."""
        rows = AssignmentRecord.objects.filter(item=self._item).select_related("user")
        for row in rows:
            yield CaptionEvent(row.at, self.name(row.user), "was handed it for the first time")

    def managed(self) -> Iterator[CaptionEvent]:
        """What a manager did with it."""
        people = User.objects.in_bulk([row.details.get("user") for row in self._acts])
        for row in self._acts:
            user = row.details.get("user")
            person = self.name(people.get(user)) or "somebody who left"
            whose = "" if user is None else f" from {person}"
            what = _MANAGED[row.action].format(person=person, whose=whose)
            notes = (f"Why: {row.details['note']}",) if "note" in row.details else ()
            yield CaptionEvent(row.at, self.name(row.actor) or "Somebody who left", what, notes)

    def _was_removed(self, at: datetime) -> bool:
        kinds = (_REMOVED, _BROUGHT_BACK)
        acts = [row for row in self._acts if row.action in kinds and row.at < at]
        return bool(acts) and max(acts, key=lambda row: row.at).action == _REMOVED

    def versions(self, annotation: Annotation) -> Iterator[CaptionEvent]:
        """An answer and each change of it; flag and comment are known of the last only."""
        before: Revision | None = None
        for row in annotation.revisions.all():
            changes = () if before is None else tuple(self._changes(before, row))
            what = _first(annotation, row) if before is None else _again(before, row, changes)
            notes = (*self._mapped(annotation, row), *_notes(annotation, row))
            if self._was_removed(row.saved_at):
                notes += ("It came after the caption was removed.",)
            if row.version == annotation.version:
                notes += tuple(_remarks(annotation))
            labels = labelled_runs(
                self._item.tokens, ordered(row.spans), self.inventory, row.taken or ()
            )
            yield CaptionEvent(
                row.saved_at, self.name(annotation.user), what, notes, labels, changes
            )
            before = row

    def _mapped(self, annotation: Annotation, row: Revision) -> Iterator[str]:
        """What somebody decided that labels of a file are here."""
        file, mapped = annotation.imported_in, annotation.extra.get("mapped", {})
        if mapped and row.version == 1:
            by = self.name(file.by) if file else ""
            became = [
                f"{old} became {new}" if new else f"{old} was left out"
                for old, new in mapped.items()
            ]
            yield f"Labels decided{by and f' by {by}'} at the import: {', '.join(became)}."

    def _changes(self, before: Revision, after: Revision) -> Iterator[LabelChange]:
        words = self._item.words
        old, new = (
            LabelledVersion(word_labels(row.spans, len(words)), ordered(row.spans))
            for row in (before, after)
        )
        return label_changes(words, old, new, self._book)

    def settled(self) -> Iterator[CaptionEvent]:
        """What was settled and taken back."""
        case = cases_of(self._item.project, [self._item.pk], removed=True)[0]
        for event in reversed(gold_history(case, self._book)):
            labels = labelled_runs(self._item.tokens, event.gold.spans, self.inventory)
            notes = (f"Why: {event.note}",) if event.note else ()
            who = self.name(event.by)
            what = event.what if not who else _DECIDED.get(event.what, event.what.lower())
            yield CaptionEvent(event.at, who, what, notes, labels, event.changes)


def _first(annotation: Annotation, row: Revision) -> str:
    text = _SAID[Answer(row.answer)]
    file = annotation.imported_in
    return text if file is None else f"{text}, in the file {file.file_name}"


def _again(before: Revision, row: Revision, changes: tuple[LabelChange, ...]) -> str:
    if before.answer != row.answer:
        return f"{_SAID[Answer(row.answer)]} after all"
    return "changed the answer" if changes else "saved the answer again"


def _notes(annotation: Annotation, row: Revision) -> Iterator[str]:
    if annotation.test:
        yield "To a test caption, which counts nowhere."
    if row.late:
        yield _LATE[Lateness(row.late)]
    if row.inventory == INCOMPLETE:
        yield "Incomplete: spans of the file were not imported. It does not count."
    elif row.inventory:
        yield f"With labels of another inventory ({row.inventory}), which do not count."


def _remarks(annotation: Annotation) -> Iterator[str]:
    if annotation.flagged:
        yield "Flagged."
    if annotation.comment:
        yield f"Comment: {annotation.comment}"
    if annotation.sent_back_id is not None:
        yield "Sent back, and not answered again yet."
    elif not annotation.counts and not annotation.test:
        yield "Does not count."
