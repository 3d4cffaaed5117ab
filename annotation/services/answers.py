"""Storing what people labelled: every change once, none lost, late ones marked as late."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Case, Exists, Q, When
from django.http import Http404

from annotation.kinds.work_kind import AnswerFault, WorkTask
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
    Scheme,
)
from annotation.models.annotation import LONGEST_INVENTORY, SHOWN_FIRST
from annotation.selectors.relabelling import relabelled, route_of, scheme_name
from annotation.selectors.tasks import audio_addresses
from annotation.spans import checked_spans, places_of, still_taken
from leaderboard.models import User
from leaderboard.web.refusals import Refused

LONGEST_COMMENT = 2000


@dataclass(frozen=True, slots=True)
class AnswerChange:
    """What a person says of an item: by ``spans`` or, in other kinds of work, by a ``value``.

    ``edit`` is the client's own name of this change: sent again, it changes
    nothing. ``base`` is the version that it was made on, 0 for none.
    ``taken`` are the spans that come from a suggestion, each with its ``labeller``;
    None: unknown to the client, and what was taken before counts where it stands.
    ``scheme`` names the version whose labels these are, "" for the present one.
    ``sent_back`` is the id of the sending back that it answers: who has not seen why an answer
    was sent back has not gone through it again.
    """

    edit: str
    base: int
    spans: Sequence[Mapping[str, Any]] = ()
    value: Mapping[str, Any] | None = None
    answer: Answer = Answer.ACCEPT
    flagged: bool = False
    comment: str = ""
    seconds: float | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    taken: Sequence[Mapping[str, Any]] | None = None
    scheme: str = ""
    sent_back: int | None = None


def project_closed() -> Refused:
    """The agreement of a closed project may be seen, so what counts in it stays as it is."""
    return Refused(
        "This project is closed, so answers that count can no longer be changed. Ask a manager "
        "to open it again.",
        status=422,
    )


class AnswerOutdated(Refused):
    """The annotation was changed elsewhere since; ``current`` is how it stands."""

    def __init__(self, current: Annotation) -> None:
        super().__init__(
            "This caption has been changed in another window. Compare both versions and choose one."
        )
        self.current = current


def caption_gone() -> Http404:
    """It went after it was looked at; a moment later its address is not found either."""
    return Http404("This caption is no longer in the project.")


@transaction.atomic
def annotation_save(*, item: Item, user: User, change: AnswerChange, now: datetime) -> Annotation:
    """Store a change to an answer; on an error nothing is changed.

    Raises ``AnswerFault``, ``AnswerOutdated`` or ``Http404``; refused where it is closed.
    The latest change sent again gives the annotation as it is; one that was
    overtaken since is outdated. The work takes the place that the person holds,
    or one that is free; where others have taken all, or the project is closed,
    it is kept all the same, and does not count. So is work on a caption that was removed,
    which counts if that is brought back.
    """
    # As in handing out: first the person, so that the two do not take assignments of one
    # caption at once and closing waits for both, then the caption, under whose lock its
    # assignments change hands. Handing out has assignments first and then refers to the
    # caption, which this lock must not hold up: each would wait for the other.
    member = Member.objects.select_for_update().filter(project=item.project_id, user=user).first()
    locked = Item.with_removed.select_for_update(no_key=True).filter(pk=item.pk).first()
    if locked is None:
        raise caption_gone()
    item.removed_at, item.removed_by_id = locked.removed_at, locked.removed_by_id
    mine = Annotation.with_removed.filter(item=item, user=user)
    annotation = mine.select_for_update(of=("self",)).first()
    # The labels may have changed while this waited.
    known = _circumstances(item, user, member)
    reading = _given(item, user, annotation, change)
    if annotation is None:
        # Whatever version it was made on, there is nothing that it could overwrite.
        return _create(item, user, reading, known, now)
    annotation.item, annotation.user = item, user
    if annotation.edit == change.edit:
        return annotation
    if annotation.version != change.base or annotation.revisions.filter(edit=change.edit).exists():
        raise AnswerOutdated(annotation)
    if annotation.counts and item.project.closed:
        raise project_closed()
    return _update(annotation, reading, known, now)


@dataclass(frozen=True, slots=True)
class _Circumstances:
    """What somebody could know of others' labels of a caption, read under the locks."""

    item: Item
    user: User
    member: Member | None
    settled: bool
    test: bool

    def when_first_answered(self) -> Lateness:
        """What a first answer comes late for.

        Before a project is closed nobody is shown a caption that may still come to
        them, but managers. While it is closed those know who have looked. Once it is
        opened again all know what was there by then.
        """
        if self.settled:
            return Lateness.SETTLED
        others = Annotation.with_removed.counting().filter(item=self.item, test=False)
        others, project = others.exclude(user=self.user), self.item.project
        manages = self.member is not None and self.member.role == Role.MANAGER
        known = self._has_looked and (manages or project.closed)
        if not known and project.reopened_at is not None:
            known = others.filter(created_at__lt=project.reopened_at).exists()
        return Lateness.SHOWN if known and others.exists() else Lateness.NO

    def when_changed(self) -> Lateness:
        """What a change comes late for.

        During the first closing only who has looked knows; it may yet be taken back whole.
        """
        project = self.item.project
        was_closed = not project.closed or project.reopened_at is not None
        if self.settled:
            return Lateness.SETTLED
        shown = self._has_looked or (project.agreement_shown_at is not None and was_closed)
        return Lateness.SHOWN if shown else Lateness.NO

    @property
    def _has_looked(self) -> bool:
        return self.member is not None and self.member.agreement_shown_at is not None


def _circumstances(item: Item, user: User, member: Member | None) -> _Circumstances:
    """Read the project anew, and with it what is settled of the item."""
    here = {"item": item.pk}
    settled = Exists(Gold.with_removed.filter(**here)) | Exists(
        PastGold.with_removed.filter(**here)
    )
    test = Assignment.with_removed.filter(**here, user=user, test=True)
    projects = Project.objects.select_related("scheme").annotate(settled=settled, test=Exists(test))
    project = projects.get(pk=item.project_id)
    item.project = project
    return _Circumstances(item, user, member, project.settled, project.test)


@dataclass(frozen=True, slots=True)
class _Given:
    """A change by the labels of the present version, and as it was given by those of ``scheme``.

    ``inventory`` is that of an earlier version whose answers are to be gone through again.
    """

    change: AnswerChange
    spans: list[dict[str, Any]]
    scheme: Scheme
    earlier: Revision | None = None
    inventory: str = ""
    value: dict[str, Any] | None = None

    def revision(self, annotation: Annotation, late: Lateness) -> Revision:
        """The change as it goes into the history: as it was given."""
        revision = revision_of(annotation, late)
        if self.earlier is not None:
            revision.spans, revision.taken = self.earlier.spans, self.earlier.taken
        return revision


def _given(item: Item, user: User, annotation: Annotation | None, change: AnswerChange) -> _Given:
    """Read a change as the project's kind of work has it; raises ``AnswerFault``."""
    project, kind = item.project, item.project.work_kind
    if kind.has_labels and change.value is None:
        return _labels_given(item, annotation, change)
    if change.spans:
        raise AnswerFault("This project is answered with a value; its items have no spans.")
    task = WorkTask(
        item, user.pk, kind.options(project.kind_options), lambda: bool(audio_addresses([item]))
    )
    value = kind.checked(change.value or {}, task, complete=change.answer == Answer.ACCEPT)
    return _Given(change, [], project.scheme, value=value)


def _labels_given(item: Item, annotation: Annotation | None, change: AnswerChange) -> _Given:
    """Read spans by the labels of now; raises ``AnswerFault``."""
    project = item.project
    names = {label.name for label in project.labels}
    # Those that the annotation has from a file.
    names |= {str(span["label"]) for span in (annotation.spans if annotation else ())}
    if change.scheme in {"", scheme_name(project.scheme)}:
        spans = checked_spans(change.spans, item.tokens, frozenset(names))
        return _Given(change, spans, project.scheme)
    route = route_of(project)
    scheme = route.version_named(change.scheme)
    labels = route.labels_since(scheme.pk)
    spans = checked_spans(change.spans, item.tokens, frozenset({*names, *scheme.names}))
    taken = change.taken and relabelled(change.taken, labels)
    again = route.asked_again_since(scheme.pk) and change.answer == Answer.ACCEPT
    return _Given(
        replace(change, taken=taken),
        relabelled(spans, labels),
        scheme,
        Revision(spans=spans, taken=still_taken(change.taken or (), spans)),
        scheme_name(scheme)[:LONGEST_INVENTORY] if again else "",
    )


def _create(
    item: Item, user: User, reading: _Given, known: _Circumstances, now: datetime
) -> Annotation:
    change, spans = reading.change, reading.spans
    # Settled a test was all along; marked as late it would be known.
    late = Lateness.NO if known.test else known.when_first_answered()
    annotation = Annotation.objects.create(
        item=item,
        user=user,
        late=late,
        test=known.test,
        assignment=None if reading.inventory else assignment_for(item, user, now),
        inventory=reading.inventory,
        spans=spans,
        value=reading.value,
        answer=change.answer,
        flagged=change.flagged,
        comment=change.comment[:LONGEST_COMMENT],
        edit=change.edit,
        seconds=change.seconds,
        extra=_with_taken(change.extra, item, change, spans),
        scheme=reading.scheme,
        created_at=now,
        updated_at=now,
    )
    reading.revision(annotation, late).save(force_insert=True)
    return annotation


def _update(
    annotation: Annotation, reading: _Given, known: _Circumstances, now: datetime
) -> Annotation:
    change, spans = reading.change, reading.spans
    differs = (annotation.answer, annotation.value) != (change.answer, reading.value)
    differs = differs or places_of(annotation.spans) != places_of(spans)
    if annotation.sent_back_id is not None and change.sent_back == annotation.sent_back_id:
        annotation.sent_back, annotation.set_aside, differs = None, annotation.version, True
    late = Lateness.NO
    if annotation.inventory:
        # What a file brought by other labels is nobody's answer by those of the project.
        late = known.when_first_answered()
        annotation.inventory = reading.inventory
    elif differs:
        late = known.when_changed()
    late = Lateness.NO if annotation.test else late
    annotation.late = annotation.late or late
    annotation.spans, annotation.value = spans, reading.value
    annotation.extra = _with_taken(annotation.extra, annotation.item, change, spans)
    annotation.answer = change.answer
    annotation.flagged = change.flagged
    annotation.comment = change.comment[:LONGEST_COMMENT]
    annotation.edit = change.edit
    annotation.scheme = reading.scheme
    annotation.version += 1
    annotation.updated_at = now
    if change.seconds is not None:
        annotation.seconds = (annotation.seconds or 0) + change.seconds
    waits = annotation.inventory or annotation.sent_back_id or annotation.refused_id
    if annotation.assignment is None and not waits:
        annotation.assignment = assignment_for(annotation.item, annotation.user, now)
    annotation.save()
    reading.revision(annotation, late).save(force_insert=True)
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
    # An answer that is given here was given by the order in which the pair is shown here.
    rest = {key: value for key, value in extra.items() if key not in {"taken", SHOWN_FIRST}}
    return {**rest, "taken": taken} if taken else rest


def revision_of(annotation: Annotation, late: Lateness = Lateness.NO) -> Revision:
    """The annotation as it stands, as a row of its history that is not stored yet."""
    return Revision(
        annotation=annotation,
        version=annotation.version,
        edit=annotation.edit,
        spans=annotation.spans,
        value=annotation.value,
        taken=annotation.taken,
        inventory=annotation.inventory,
        scheme_id=annotation.scheme_id,
        answer=annotation.answer,
        late=late,
        saved_at=annotation.updated_at,
    )


def assignment_for(item: Item, user: User, now: datetime) -> Assignment | None:
    """Mark the person's assignment of the caption as done, else a free one; None: all are taken."""
    if item.project.closed:
        return None
    free = Q(user=None) | Q(expires_at__lt=now)
    own_first = Case(When(user=user, then=0), default=1)
    assignments = Assignment.with_removed.select_for_update(of=("self",)).filter(item=item)
    assignments = assignments.filter(Q(user=user) | (free & Q(test=False, done=False)))
    assignment = assignments.order_by(own_first, "number").first()
    if assignment is None:
        return None
    assignment.user = user
    assignment.done = True
    assignment.expires_at = None
    assignment.save(update_fields=["user", "done", "expires_at"])
    return assignment


def agreement_note_shown(*, project: Project, user: User, now: datetime) -> None:
    """Note that a member sees for the first time what others say, where they say something."""
    member = Member.objects.filter(project=project, user=user, agreement_shown_at=None)
    others = Annotation.objects.filter(item__project=project).exclude(user=user)
    if member.exists() and others.exists():
        member.update(agreement_shown_at=now)
