"""The demo project: captions of the demo challenge, part of the work done by a rule.

There are no people behind the two annotators. Both start from what the shipped
labeller says; seeded changes then make them differ as people do, mostly between
labels that are easily confused.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from random import Random
from typing import Any

from django.db import transaction

from annotation.models import Answer, Item, Project, Role
from annotation.services.adjudication import gold_accept_unanimous
from annotation.services.answers import AnswerChange, annotation_save
from annotation.services.formats.sources import reference_tasks
from annotation.services.projects import ProjectRules, items_add, member_add, project_create
from annotation.services.schemes import schemes_load
from annotation.services.tasks import tasks_take
from annotation.spans import OUTSIDE, spans_of_words
from earmark.models.descriptors import find_labeller, label
from leaderboard.models import Phase, User

SLUG = "everyday-sounds"
SEED = 7
# How many captions each of the two has answered, and the share of words in which each
# leaves the labeller, in those captions that are hard to label.
DONE = (46, 38)
LEAVES = (0.1, 0.2)
HARD = 0.5
PACE = timedelta(seconds=34)
LEASE = timedelta(minutes=30)
# What is taken for what; a word that is not here loses its label.
CONFUSED = {
    OUTSIDE: "OTHER",
    "HOW": "SOUND_TYPE",
    "HOW_PROPERTY": "SOUND_PROPERTY",
    "SOUND_PROPERTY": "HOW_PROPERTY",
    "SOUND_TYPE": "HOW",
    "WHAT": "WHERE",
    "WHERE": "WHAT/WHERE",
    "WHAT/WHERE": "WHERE",
    "WHO": "WHAT",
    "WHO_WHAT_PROPERTY": "SOUND_PROPERTY",
}

GUIDELINES = (
    "Label what each caption says about its sound. Words that describe nothing stay without a "
    "label.\n\n"
    "**This project is a demo.** Its captions are references of the demo challenge. No people "
    "labelled them: both annotators' labels are those of Earmark's own labeller, some changed at "
    "random, so that agreement and adjudication have something to show. Measures computed from "
    "them say nothing about people or the scheme.\n"
)

Labels = Mapping[int, list[str]]


@transaction.atomic
def labelling_demo_load(
    *, phase: Phase, manager: User, annotators: tuple[User, User], now: datetime
) -> Project | None:
    """Make the demo project with its work; None where there is one already.

    Takes a few seconds, most of them for loading the labeller.
    """
    if Project.objects.filter(slug=SLUG).exists():
        return None
    schemes = {scheme.slug: scheme for scheme in schemes_load()}
    rules = ProjectRules(guidelines=GUIDELINES, copies=2, share=0.75, seed=SEED)
    project = project_create(
        slug=SLUG,
        name="Everyday sounds, descriptors",
        scheme=schemes["aces-13"],
        manager=manager,
        rules=rules,
    )
    for user in annotators:
        member_add(project=project, user=user, role=Role.ANNOTATOR)
    items = items_add(project=project, tasks=reference_tasks(phase, one_each=True))
    labels = _labelled(items)
    for user, done, leaves in zip(annotators, DONE, LEAVES, strict=True):
        _work(project, user, done, _changed(labels, leaves, user), now)
    gold_accept_unanimous(project=project, by=manager, now=now)
    return project


def _labelled(items: Iterable[Item]) -> dict[int, list[str]]:
    """Labels of tokens by item; the labeller's own words are matched by where they start."""
    rows = list(items)
    captions = label(find_labeller(), [item.text for item in rows], device="cpu")
    labels = {}
    for item, caption in zip(rows, captions, strict=True):
        starts = dict(zip((word.start for word in caption.words), caption.labels, strict=True))
        tokens: list[dict[str, Any]] = item.tokens
        labels[item.pk] = [starts.get(token["start"], OUTSIDE) for token in tokens]
    return labels


def _changed(labels: Labels, share: float, user: User) -> Labels:
    """Change a share of the words, the same in every installation."""
    random = Random(f"{SEED}:{user.get_username()}")  # noqa: S311 a reproducible draw, no secret
    changed: dict[int, list[str]] = {}
    for key, names in sorted(labels.items()):
        hard = Random(f"{SEED}:{len(changed)}").random() < HARD  # noqa: S311 as above
        here = share if hard else 0.0
        # People rarely label a word that says nothing.
        changed[key] = [
            CONFUSED.get(name, OUTSIDE)
            if random.random() < (here / 10 if name == OUTSIDE else here)
            else name
            for name in names
        ]
    return changed


def _work(project: Project, user: User, done: int, labels: Labels, now: datetime) -> None:
    """Take captions and answer them one by one, the last one just now."""
    for number in range(done):
        at = now - PACE * (done - number)
        for assignment in tasks_take(project=project, user=user, count=1, now=at, lease=LEASE):
            item = assignment.item
            change = _change(item, user, number, labels[item.pk])
            annotation_save(item=item, user=user, change=change, now=at)


def _change(item: Item, user: User, number: int, labels: list[str]) -> AnswerChange:
    unsure = number % 17 == 11
    return AnswerChange(
        edit=f"demo-{user.pk}-{item.pk}",
        base=0,
        spans=spans_of_words(labels, [False] * len(labels), item.tokens),
        answer=Answer.IGNORE if number % 31 == 23 else Answer.ACCEPT,
        flagged=unsure,
        comment="Is the thing that sounds also the place here?" if unsure else "",
        seconds=PACE.total_seconds(),
    )
