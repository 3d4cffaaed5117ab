"""A person's own answers, latest first."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.db.models import F, QuerySet

from annotation.models import Annotation, Project, Revision
from annotation.models.scheme import Label
from annotation.spans import place_of
from leaderboard.models import User

# Earlier versions of an answer that a page shows; the API gives every one.
MOST_VERSIONS = 10


@dataclass(frozen=True, slots=True)
class LabelledRun:
    """A run of words with the white space after it apart; ``label`` None: no label.

    ``title`` is the label's, or its name where the scheme no longer has it.
    ``suggested`` names the labeller from whose suggestion it was taken, if it was.
    """

    text: str
    gap: str
    title: str = ""
    tone: int | None = None
    suggested: str = ""


def labelled_runs(
    tokens: Sequence[Mapping[str, Any]],
    spans: Iterable[Mapping[str, Any]],
    labels: Iterable[Label],
    taken: Iterable[Mapping[str, Any]] = (),
) -> list[LabelledRun]:
    """Cut a caption at the ends of its spans; of several spans on a word the last one counts.

    ``taken`` are the spans that were taken from a suggestion, as annotations keep them.
    """
    known = {label.name: label for label in labels}
    owner: list[int] = [-1] * len(tokens)
    drawn = list(spans)
    for number, span in enumerate(drawn):
        for word in range(int(span["token_start"]), int(span["token_end"]) + 1):
            if 0 <= word < len(owner):
                owner[word] = number
    runs = groupby(range(len(tokens)), key=owner.__getitem__)
    whose = {place_of(row): str(row["labeller"]) for row in taken}
    return [
        _segment(list(words), tokens, known, drawn[number] if number >= 0 else None, whose)
        for number, words in runs
    ]


def _segment(
    words: Sequence[int],
    tokens: Sequence[Mapping[str, Any]],
    known: Mapping[str, Label],
    span: Mapping[str, Any] | None,
    whose: Mapping[tuple[int, int, str], str],
) -> LabelledRun:
    text = "".join(str(tokens[word]["text"]) + _gap(tokens[word]) for word in words)
    gap = _gap(tokens[words[-1]])
    text = text.removesuffix(gap) if gap else text
    if span is None:
        return LabelledRun(text, gap)
    label, suggested = known.get(str(span["label"])), whose.get(place_of(span), "")
    if label is None:
        return LabelledRun(text, gap, str(span["label"]), 0, suggested)
    return LabelledRun(text, gap, label.title, label.tone, suggested)


def _gap(token: Mapping[str, Any]) -> str:
    return " " if token.get("ws") else ""


def history_of(project: Project, user: User, *, before: int | None = None) -> QuerySet[Annotation]:
    """The annotations of a person in a project, those made last first, removed captions' too.

    ``before`` is the id of an annotation: only those made earlier are given.
    """
    answers = Annotation.with_removed.filter(item__project=project, user=user)
    answers = answers.select_related("item__removed_by", "sent_back__by", "refused__by")
    if before is not None:
        answers = answers.filter(pk__lt=before)
    return answers.order_by("-pk")


def answered_rows(
    project: Project, user: User, *, before: int | None, limit: int
) -> list[dict[str, Any]]:
    """At most ``limit`` of a person's answers as a page lists them, in two queries.

    ``name`` is what the person knows the item as, and ``versions`` is how an answer stood, latest
    first. Its caption is cut into ``labelled_runs``, or ``said`` is the answer in one line.
    """
    inventory, kind = project.scheme.inventory, project.work_kind
    rows = list(history_of(project, user, before=before)[:limit])
    earlier = _earlier(row.pk for row in rows if row.version > 1)
    shown = {row.pk: kind.shown(row.item, user.pk) for row in rows}

    def said(row: Annotation, version: Annotation | Revision) -> dict[str, Any]:
        tokens, taken = row.item.tokens, version.taken or ()
        return {
            "labelled_runs": labelled_runs(tokens, version.spans, inventory, taken),
            "said": kind.said_as_shown(version.value or {}, shown[row.pk]),
        }

    return [
        {
            "annotation": row,
            "name": shown[row.pk].text,
            "versions": [{"revision": old, **said(row, old)} for old in earlier[row.pk]],
            **said(row, row),
        }
        for row in rows
    ]


def _earlier(annotations: Iterable[int]) -> defaultdict[int, list[Revision]]:
    """By annotation the versions before the present one, latest first."""
    present = F("annotation__version")
    earlier = defaultdict(list)
    rows = Revision.objects.filter(
        annotation__in=list(annotations), version__lt=present, version__gte=present - MOST_VERSIONS
    )
    for row in rows.order_by("annotation", "-version"):
        earlier[row.annotation_id].append(row)
    return earlier


def versions_of(item_id: int, user: User) -> QuerySet[Revision]:
    """Every version of a person's answer to a caption, the first one first."""
    rows = Revision.objects.filter(annotation__item=item_id, annotation__user=user)
    return rows.order_by("version")
