"""Storing what people labelled: every change once, none lost, late ones marked as late."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q

from annotation.models import (
    Annotation,
    Answer,
    Assignment,
    Gold,
    Item,
    Lateness,
    Member,
    PastGold,
    Project,
    Revision,
    Role,
)
from annotation.spans import checked_spans, places_of, still_taken
from leaderboard.models import User

LONGEST_COMMENT = 2000


@dataclass(frozen=True, slots=True)
class AnswerChange:
    """What a person says of a caption.

    ``edit`` is the client's own name of this change: sent again, it changes
    nothing. ``base`` is the version that it was made on, 0 for none.
    ``taken`` are the spans that come from a suggestion, each with its ``labeller``;
    None: unknown to the client, and what was taken before counts where it stands.
    """

    edit: str
    base: int
    spans: Sequence[Mapping[str, Any]]
    answer: Answer = Answer.ACCEPT
    flagged: bool = False
    comment: str = ""
    seconds: float | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    taken: Sequence[Mapping[str, Any]] | None = None


class ProjectClosed(Exception):
    """The project is closed: its agreement may be seen, so what counts stays as it is."""

    def __init__(self) -> None:
        super().__init__(
            "This project is closed, and answers that count do not change any more. "
            "Ask its manager to open it again."
        )


class AnswerOutdated(Exception):
    """The annotation was changed elsewhere since; ``current`` is how it stands."""

    def __init__(self, current: Annotation) -> None:
        super().__init__(
            "This caption was changed in another window since. Look at both and choose."
        )
        self.current = current


@transaction.atomic
def annotation_save(*, item: Item, user: User, change: AnswerChange, now: datetime) -> Annotation:
    """Store a change to an answer; on an error nothing is changed.

    Raises ``SpanFault``, ``AnswerOutdated`` or ``ProjectClosed``.
    The latest change sent again gives the annotation as it is; one that was
    overtaken since is outdated. The work takes the place that the person holds,
    or one that is free; where others have taken all, or the project is closed,
    it is kept all the same, and does not count.
    """
    # As in handing out: first the person, so that the two do not take assignments of one
    # caption at once, then the caption, under whose lock its assignments change hands.
    Member.objects.select_for_update().filter(project=item.project_id, user=user).first()
    Item.objects.select_for_update().get(pk=item.pk)
    found = Annotation.objects.select_for_update(of=("self",)).filter(item=item, user=user).first()
    spans = checked_spans(change.spans, item.tokens, _names(item, found))
    if found is None:
        # Whatever version it was made on, there is nothing that it could overwrite.
        return _create(item, user, change, spans, now)
    if found.edit == change.edit:
        return found
    if found.version != change.base or found.revisions.filter(edit=change.edit).exists():
        raise AnswerOutdated(found)
    if found.counts and _closed(item):
        raise ProjectClosed
    return _update(found, change, spans, now)


def _names(item: Item, found: Annotation | None) -> frozenset[str]:
    """Name the labels of the project, and those that the annotation has from a file."""
    offered = {label.name for label in item.project.labels}
    return frozenset(offered | {str(span["label"]) for span in (found.spans if found else ())})


def _closed(item: Item) -> bool:
    return Project.objects.filter(pk=item.project_id, closed=True).exists()


def _create(
    item: Item, user: User, change: AnswerChange, spans: list[dict[str, Any]], now: datetime
) -> Annotation:
    late = first_answer_lateness(item, user)
    annotation = Annotation.objects.create(
        item=item,
        user=user,
        late=late,
        assignment=_assignment(item, user, now),
        spans=spans,
        answer=change.answer,
        flagged=change.flagged,
        comment=change.comment[:LONGEST_COMMENT],
        edit=change.edit,
        seconds=change.seconds,
        extra=_with_taken(change.extra, item, change, spans),
        created_at=now,
        updated_at=now,
    )
    revision_of(annotation, late).save(force_insert=True)
    return annotation


def _update(
    annotation: Annotation, change: AnswerChange, spans: list[dict[str, Any]], now: datetime
) -> Annotation:
    differs = annotation.answer != change.answer or places_of(annotation.spans) != places_of(spans)
    late = change_lateness(annotation.item, annotation.user) if differs else Lateness.NO
    annotation.late = annotation.late or late
    annotation.spans = spans
    annotation.extra = _with_taken(annotation.extra, annotation.item, change, spans)
    annotation.answer = change.answer
    annotation.flagged = change.flagged
    annotation.comment = change.comment[:LONGEST_COMMENT]
    annotation.edit = change.edit
    annotation.version += 1
    annotation.updated_at = now
    if change.seconds is not None:
        annotation.seconds = (annotation.seconds or 0) + change.seconds
    if annotation.assignment is None:
        annotation.assignment = _assignment(annotation.item, annotation.user, now)
    annotation.save()
    revision_of(annotation, late).save(force_insert=True)
    return annotation


def _with_taken(
    extra: Mapping[str, Any], item: Item, change: AnswerChange, spans: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Note which spans were taken from a suggestion.

    None is where agreement is measured, but those from before a file brought more people.
    """
    known = extra.get("taken", ())
    taken_now = known if change.taken is None else change.taken
    if item.measures_agreement:
        taken_now = [row for row in taken_now if row in known]
    taken = still_taken(taken_now, spans)
    rest = {key: value for key, value in extra.items() if key != "taken"}
    return {**rest, "taken": taken} if taken else rest


def revision_of(annotation: Annotation, late: Lateness = Lateness.NO) -> Revision:
    """The annotation as it stands, as a row of its history that is not stored yet."""
    return Revision(
        annotation=annotation,
        version=annotation.version,
        edit=annotation.edit,
        spans=annotation.spans,
        taken=annotation.taken,
        answer=annotation.answer,
        late=late,
        saved_at=annotation.updated_at,
    )


def _assignment(item: Item, user: User, now: datetime) -> Assignment | None:
    """Mark the person's assignment of the caption as done, else a free one; None: all are taken."""
    if _closed(item):
        return None
    assignments = Assignment.objects.select_for_update(of=("self",)).filter(item=item)
    found = assignments.filter(user=user).first()
    if found is None:
        free = Q(user=None) | Q(expires_at__lt=now)
        found = assignments.filter(free, done=False).order_by("number").first()
    if found is None:
        return None
    found.user = user
    found.done = True
    found.expires_at = None
    found.save(update_fields=["user", "done", "expires_at"])
    return found


def agreement_note_shown(*, project: Project, user: User, now: datetime) -> None:
    """Note that a member sees for the first time what others say, where they say something."""
    member = Member.objects.filter(project=project, user=user, agreement_shown_at=None)
    others = Annotation.objects.filter(item__project=project).exclude(user=user)
    if member.exists() and others.exists():
        member.update(agreement_shown_at=now)


def change_lateness(item: Item, user: User) -> Lateness:
    """What somebody who changes an answer could know of others' labels of the caption."""
    if _settled(item):
        return Lateness.SETTLED
    return Lateness.SHOWN if _shown(item, user) else Lateness.NO


def first_answer_lateness(item: Item, user: User) -> Lateness:
    """What somebody who first answers a caption could know of others' labels of it.

    Before a project is closed nobody is shown a caption that may still come to
    them, but managers. Once it is opened again all know what was there by then.
    """
    if _settled(item):
        return Lateness.SETTLED
    others = Annotation.objects.filter(item=item, assignment__isnull=False).exclude(user=user)
    member = Member.objects.filter(project=item.project_id, user=user)
    known = member.filter(role=Role.MANAGER, agreement_shown_at__isnull=False).exists()
    reopened = Project.objects.values_list("reopened_at", flat=True).get(pk=item.project_id)
    if not known and reopened is not None:
        known = others.filter(created_at__lt=reopened).exists()
    return Lateness.SHOWN if known and others.exists() else Lateness.NO


def _settled(item: Item) -> bool:
    return Gold.objects.filter(item=item).exists() or PastGold.objects.filter(item=item).exists()


def _shown(item: Item, user: User) -> bool:
    person = Q(members__user=user, members__agreement_shown_at__isnull=False)
    projects = Project.objects.filter(pk=item.project_id)
    return projects.filter(Q(agreement_shown_at__isnull=False) | person).exists()
