"""Captions labelled by people, in a line each."""

from datetime import datetime
from uuid import uuid4

from annotation.models import Annotation, Answer, Assignment, Item, Project
from annotation.services.answers import AnswerChange, annotation_save
from leaderboard.models import User
from tests.annotation.conftest import NOW, Crew

Drawn = tuple[int, int, str]


def label(
    item: Item,
    user: User,
    *drawn: Drawn,
    answer: Answer = Answer.ACCEPT,
    comment: str = "",
    now: datetime = NOW,
) -> Annotation:
    """Say these spans (first word, last word, label) of a caption, whatever was said before."""
    before = Annotation.objects.filter(item=item, user=user).first()
    spans = [{"token_start": a, "token_end": b, "label": name} for a, b, name in drawn]
    change = AnswerChange(
        edit=uuid4().hex,
        base=before.version if before else 0,
        spans=spans,
        answer=answer,
        comment=comment,
    )
    return annotation_save(item=item, user=user, change=change, now=now)


def disputed_first(crew: Crew) -> Item:
    """Have the first caption, "a dog barks twice in the distance", labelled by two.

    They differ on "twice" (HOW, WHEN) and on "in the distance" (WHERE, nothing).
    """
    item = crew.items[0]
    label(item, crew.ann, (1, 1, "WHO"), (2, 2, "HOW"), (3, 3, "HOW"), (4, 6, "WHERE"))
    label(item, crew.bob, (1, 1, "WHO"), (2, 2, "HOW"), (3, 3, "WHEN"))
    return item


def agreed_second(crew: Crew) -> Item:
    """Have the second caption, "heavy rain falls on a metal roof", labelled alike by two."""
    item = crew.items[1]
    for user in (crew.ann, crew.bob):
        label(item, user, (1, 1, "WHAT"), (2, 2, "HOW"))
    return item


def release(project: Project, user: User) -> None:
    """Free the captions that somebody holds, as if their time had run out and another had them."""
    Assignment.objects.filter(project=project, user=user, done=False).update(
        user=None, expires_at=None
    )
