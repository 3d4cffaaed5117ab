"""Qualification: which captions, who passes, who is let in by hand; and test captions."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import IO

from django.db import transaction

from annotation.batches import AT_ONCE
from annotation.formats import prodigy
from annotation.formats.records import Record, SkippedLine
from annotation.kinds.work_kind import AnswerFault
from annotation.models import (
    Annotation,
    Assignment,
    AssignmentRecord,
    Item,
    Member,
    Order,
    Project,
    QualificationAnswer,
    QualificationCaption,
    QualificationTry,
    Qualified,
    Role,
)
from annotation.models.gold import LONGEST_NOTE
from annotation.selectors.qualification import must_qualify, settled_to_choose, words_as_expected
from annotation.services.projects import ProjectAct, drawn
from annotation.spans import OUTSIDE, checked_spans, labels_of_words, spans_of_words
from earmark.captions.faults import in_quotes
from leaderboard.web.refusals import Refused

MOST_CAPTIONS = 200


@transaction.atomic
def qualification_set(
    *,
    project: Project,
    on: bool,
    pass_mark: int,
    tries: int,
    everyone: bool = False,
    act: ProjectAct,
) -> None:
    """Set whether annotators must qualify, how well (per cent of the words), in how many tries.

    ``everyone``: those too who were at work when it was switched on. Refused where there is
    nothing to qualify on.
    """
    locked = Project.objects.select_for_update().get(pk=project.pk)
    if on and not locked.qualification_captions.exists():
        raise Refused("There are no captions to qualify on yet. Choose some first.", field="on")
    began = on and not locked.qualification_on
    locked.qualification_on = on
    locked.pass_mark, locked.qualification_tries = pass_mark, tries
    locked.full_clean()
    locked.save(update_fields=["qualification_on", "pass_mark", "qualification_tries"])
    annotators = locked.members.filter(role=Role.ANNOTATOR)
    if on and everyone:
        annotators.filter(qualified=Qualified.AT_WORK).update(qualified="", qualified_at=None)
    elif began:
        handed = AssignmentRecord.objects.filter(item__project=locked).values("user")
        answered = Annotation.every.filter(item__project=locked).values("user")
        at_work = annotators.filter(qualified_at=None)
        at_work = at_work.filter(user__in=handed) | at_work.filter(user__in=answered)
        at_work.update(qualified=Qualified.AT_WORK, qualified_at=act.now)
    if on:
        held_up = annotators.filter(qualified_at=None).values("user")
        held = Assignment.objects.filter(project=locked, done=False, user__in=held_up)
        held.update(user=None, expires_at=None)
    act.note("qualification" if on else "qualification-off", locked)


@transaction.atomic
def qualification_choose(*, project: Project, items: Iterable[int], act: ProjectAct) -> int:
    """Make settled captions of the project captions of its qualification; returns how many."""
    chosen = settled_to_choose(project).filter(pk__in=list(items)).select_related("gold")
    rows = [
        QualificationCaption(
            project=project,
            item=item,
            text=item.text,
            tokens=item.tokens,
            labels=item.gold.labels,
            spans=item.gold.spans,
            note=item.gold.note,
        )
        for item in chosen
    ]
    return _add(project, rows, act)


@transaction.atomic
def qualification_import(*, project: Project, file: IO[bytes], act: ProjectAct) -> int:
    """Add the accepted captions of a Prodigy file with labels, ``comment`` as the note.

    Refused with the faults of all lines; then nothing is added.
    """
    names = frozenset(project.scheme.names)
    rows, faults = [], []
    for record in prodigy.read(file):
        try:
            rows.append(_of_record(project, record, names))
        except (Refused, AnswerFault) as fault:
            line = "" if isinstance(record, SkippedLine) else f"Line {record.line}: "
            faults.append(f"{line}{fault}")
    if faults:
        raise Refused(" ".join(faults[:10]))
    if not rows:
        raise Refused("The file contains no captions. Choose another file.")
    return _add(project, rows, act)


def _of_record(
    project: Project, record: Record | SkippedLine, names: frozenset[str]
) -> QualificationCaption:
    if isinstance(record, SkippedLine):
        raise Refused(str(record))
    if record.spans is None or record.answer != "accept":
        raise Refused(
            f"{in_quotes(record.text[:60])} has no accepted labels. Give it spans, or leave it out."
        )
    if len(record.comment) > LONGEST_NOTE:
        raise Refused(f"The comment is longer than {LONGEST_NOTE} characters. Shorten it.")
    spans = checked_spans(record.spans, record.tokens, names)
    return QualificationCaption(
        project=project,
        text=record.text,
        tokens=list(record.tokens),
        labels=labels_of_words(spans, len(record.tokens)),
        spans=spans,
        note=record.comment,
    )


def _add(project: Project, rows: Sequence[QualificationCaption], act: ProjectAct) -> int:
    Project.objects.select_for_update().get(pk=project.pk)
    known = set(project.qualification_captions.values_list("text", flat=True))
    fresh = list({row.text: row for row in rows if row.text not in known}.values())
    if len(known) + len(fresh) > MOST_CAPTIONS:
        raise Refused(
            f"A qualification may have at most {MOST_CAPTIONS} captions, and these would make "
            f"{len(known) + len(fresh)}. Leave some out."
        )
    QualificationCaption.objects.bulk_create(fresh)
    act.note("qualification-captions", project, count=len(fresh))
    return len(fresh)


@transaction.atomic
def qualification_remove(*, caption: QualificationCaption, act: ProjectAct) -> None:
    """Take a caption out, with the answers to it; refused for the last."""
    project = Project.objects.select_for_update().get(pk=caption.project_id)
    if project.qualification_on and project.qualification_captions.count() == 1:
        raise Refused("This is the last caption. Switch the qualification off first.")
    caption.delete()
    act.note("qualification-caption-removed", project)


@transaction.atomic
def qualification_let_in(*, member: Member, act: ProjectAct) -> None:
    """Let somebody label who has not passed."""
    Member.objects.filter(pk=member.pk).update(qualified=Qualified.BY_HAND, qualified_at=act.now)
    act.note("qualification-by-hand", member.project, user=member.user_id)


@transaction.atomic
def qualification_answer(
    *,
    member: Member,
    caption: QualificationCaption,
    labels: Sequence[str],
    begins: Collection[int] = (),
    number: int,
    now: datetime,
) -> QualificationAnswer:
    """Keep an answer in try ``number`` (from 1), and begin it where need be; the last ends it.

    Neighbours with one label are one span but where a word of ``begins`` begins another. An
    answer sent again changes nothing: what was expected has been shown.
    """
    locked = Member.objects.select_for_update().select_related("project").get(pk=member.pk)
    project = locked.project
    known = (*project.scheme.names, OUTSIDE)
    if len(labels) != len(caption.tokens):
        raise Refused(
            f"There are {len(labels)} labels for {len(caption.tokens)} words. Give one each."
        )
    for label in labels:
        if label not in known:
            raise Refused(f"There is no label {in_quotes(label)}. Choose from: {', '.join(known)}.")
    starts = [word in begins for word in range(len(labels))]
    tries = QualificationTry.objects.filter(project=project, user=locked.user_id)
    mine = QualificationAnswer.objects.filter(attempt__in=tries, attempt__number=number)
    if stored := mine.filter(caption=caption).first():
        return stored
    if not must_qualify(project, locked):
        raise Refused("You do not need to qualify: you already get captions.")
    ended = tries.exclude(ended_at=None).count()
    if ended >= project.qualification_tries:
        raise Refused("You have used all tries. A manager can allow you to label.")
    if number != ended + 1:
        raise Refused(f"This is try {ended + 1}, not {number}. Send it again.")
    begun, _ = tries.get_or_create(project=project, user_id=locked.user_id, number=number)
    answer = QualificationAnswer.objects.create(
        attempt=begun,
        caption=caption,
        labels=list(labels),
        spans=spans_of_words(labels, starts, caption.tokens),
        at=now,
    )
    if not project.qualification_captions.exclude(answers__attempt=begun).exists():
        _end(begun, locked, project, now)
    return answer


def _end(begun: QualificationTry, member: Member, project: Project, now: datetime) -> None:
    answers = list(begun.answers.select_related("caption__item__gold"))
    begun.words = sum(len(answer.labels) for answer in answers)
    begun.same = sum(map(words_as_expected, answers))
    begun.ended_at = now
    begun.save(update_fields=["words", "same", "ended_at"])
    if begun.same * 100 >= project.pass_mark * begun.words:
        member.qualified, member.qualified_at = Qualified.PASSED, now
        member.save(update_fields=["qualified", "qualified_at"])


@transaction.atomic
def project_set_tests(*, project: Project, every: int | None, act: ProjectAct) -> bool:
    """Mix a test into each ``every`` captions of annotators (2 or more; None: none).

    Where captions came as given they come at random from then on, for a test would be known by
    its number; returns whether that was so.
    """
    locked = Project.objects.select_for_update().get(pk=project.pk)
    shuffled = every is not None and locked.order == Order.GIVEN
    project.test_every = locked.test_every = every
    if shuffled:
        project.order = locked.order = Order.RANDOM
        _shuffle(locked)
    locked.full_clean()
    locked.save(update_fields=["test_every", "order"])
    act.note("tests" if every else "tests-off", project, every=every)
    return shuffled


def _shuffle(project: Project) -> None:
    # Those that were removed, too: they may be brought back.
    items = list(Item.with_removed.filter(project=project).only("position"))
    ranks = {item.pk: drawn(project, item.position)[1] for item in items}
    for item in items:
        item.rank = ranks[item.pk]
    Item.with_removed.bulk_update(items, ["rank"], batch_size=AT_ONCE)
    assignments = list(Assignment.with_removed.filter(project=project).only("item_id"))
    for assignment in assignments:
        assignment.rank = ranks[assignment.item_id]
    Assignment.with_removed.bulk_update(assignments, ["rank"], batch_size=AT_ONCE)
