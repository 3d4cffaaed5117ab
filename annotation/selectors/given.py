"""What each person said of captions that measure agreement, first or now."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from annotation.models import Annotation, Answer, Project, Revision


class Judgement(StrEnum):
    """Whether an annotation takes part in agreement, and why not."""

    COUNTS = "counts"
    REJECTED = "reject"
    SKIPPED = "ignore"
    SURPLUS = "surplus"
    LATE = "late"


@dataclass(frozen=True, slots=True)
class Given:
    """An annotation as it is compared.

    ``changed``: it does not stand as it was first accepted; ``changed_late``: it
    was changed when its maker could know what others say.
    """

    annotation: int
    item: int
    user: int
    at: datetime
    spans: list[dict[str, Any]]
    judgement: Judgement
    changed: bool
    changed_late: bool


@dataclass(frozen=True, slots=True)
class _First:
    spans: list[dict[str, Any]]
    late: bool


def given_of(project: Project, *, first: bool) -> Iterator[Given]:
    """Give the annotations of captions for several, in the order in which they were first kept.

    ``first``: as they were accepted first, whatever was said later; those that
    were first accepted late take no part then. Else as they stand.
    """
    accepted = _first_accepted(project)
    rows = Annotation.objects.filter(item__project=project, item__copies__gt=1).order_by("pk")
    for row in rows.only("item", "user", "place", "answer", "spans", "late", "created_at"):
        stood = accepted.get(row.pk)
        same = row.answer == Answer.ACCEPT and (
            stood is None or _drawn(stood.spans) == _drawn(row.spans)
        )
        yield Given(
            annotation=row.pk,
            item=row.item_id,
            user=row.user_id,
            at=row.created_at,
            spans=stood.spans if first and stood else row.spans,
            judgement=_judged(row, stood, first=first),
            changed=stood is not None and not same,
            changed_late=stood is not None and not same and bool(row.late),
        )


def _judged(row: Annotation, stood: _First | None, *, first: bool) -> Judgement:
    if row.place_id is None:
        return Judgement.SURPLUS
    if first and stood is not None:
        return Judgement.LATE if stood.late else Judgement.COUNTS
    # What was never accepted is not compared, whichever answers are.
    return Judgement.COUNTS if row.answer == Answer.ACCEPT else Judgement(row.answer)


def _first_accepted(project: Project) -> dict[int, _First]:
    """Give by annotation how it stood when it was first accepted."""
    revisions = Revision.objects.filter(
        annotation__item__project=project, annotation__item__copies__gt=1, answer=Answer.ACCEPT
    ).order_by("annotation", "version")
    found: dict[int, _First] = {}
    for annotation, spans, late in revisions.values_list("annotation", "spans", "late"):
        if annotation not in found:
            found[annotation] = _First(spans, bool(late))
    return found


def _drawn(spans: list[dict[str, Any]]) -> set[tuple[int, int, str]]:
    return {(row["token_start"], row["token_end"], str(row["label"])) for row in spans}
