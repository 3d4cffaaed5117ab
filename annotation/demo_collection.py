"""The demo of collecting and judging captions: made sounds, part of the work done by a rule.

There are no people behind the answers. Three accounts take turns in the stages, so that nobody
meets a sound twice, and every stage has something left for each of them.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

from django.db import transaction
from django.db.models import Q

from annotation.kinds.judge import ALIKE, FIRST, SECOND
from annotation.kinds.judge import KIND as JUDGE
from annotation.kinds.names import EDIT, RATE, WRITE
from annotation.kinds.rate import caption_key, caption_texts
from annotation.models import Item, Project
from annotation.selectors.sounds import sound_name
from annotation.services.answers import AnswerChange, annotation_save
from annotation.services.judging import pairs_draw
from annotation.services.projects import (
    ProjectAct,
    ProjectRules,
    ProjectSettings,
    Work,
    guidelines_keep,
    member_add,
)
from annotation.services.sounds import sounds_add_zip
from annotation.services.stages import StageSettings, stages_start, stages_update, work_start
from earmark.datasets.made_sounds import MadeClip, made_clips, wav_bytes
from leaderboard.models import Phase, Submission, User

NAME, PAIRED = "Made sounds", "Everyday sounds, pairs"
SEED = 7
# Sounds, and of how many the caption is written, edited and rated.
SOUNDS, WRITTEN, EDITED, RATED = 12, 9, 6, 3
PAIRS = {"HC": 6, "HI": 6, "HM": 6, "MM": 18}
JUDGED = 30
PACE = timedelta(seconds=40)
GUIDELINES = (
    "**This project is a demo.** {what} Its answers were made by a program, so that its pages "
    "have something to show. Measures computed from them say nothing about people.\n"
)


@transaction.atomic
def collection_demo_load(*, manager: User, people: Sequence[User], now: datetime) -> list[Project]:
    """Make the projects that write, edit and rate; none where captions are written already.

    ``people`` are three, who take turns.
    """
    # A start of an earlier version could end before anything was in them.
    Project.objects.filter(Q(name__startswith=f"{NAME}: ") | Q(name=PAIRED), items=None).delete()
    if Project.objects.filter(kind=WRITE).exists():
        return []
    act = ProjectAct(manager, now)
    options = {"least": 8, "most": 20}
    stages = stages_start(
        stages=[
            StageSettings(WRITE, f"{NAME}: write", 1, options),
            StageSettings(EDIT, f"{NAME}: edit", 1, options),
            StageSettings(RATE, f"{NAME}: rate", 1, {"keep": 1}),
        ],
        act=act,
    )
    for project in stages:
        _prepare(project, people, "Its sounds are synthetic.", act)
    sounds = {sound.file_name: sound for sound in made_clips("evaluation", SOUNDS, SEED)}
    with TemporaryDirectory() as folder:
        path = Path(folder) / "sounds.zip"
        with ZipFile(path, "w") as archive:
            for name, sound in sounds.items():
                archive.writestr(name, wav_bytes(sound))
        sounds_add_zip(project=stages[0], path=path, act=act)
    for turn, (project, done) in enumerate(zip(stages, (WRITTEN, EDITED, RATED), strict=True)):
        _work(project, done, people, turn, sounds, now)
        stages_update(source=stages[0], now=now)
    return stages


def _prepare(project: Project, people: Sequence[User], what: str, act: ProjectAct) -> None:
    project.guidelines = GUIDELINES.format(what=what)
    project.save(update_fields=["guidelines"])
    guidelines_keep(project=project, by=act.actor, now=act.now)
    for user in people:
        if not project.members.filter(user=user).exists():
            member_add(project=project, user=user)


def _work(
    project: Project,
    done: int,
    people: Sequence[User],
    turn: int,
    sounds: dict[str, MadeClip],
    now: datetime,
) -> None:
    """Answer the first items of a stage, whoever's turn it is."""
    items = sorted(project.items.all(), key=sound_name)[:done]
    for number, item in enumerate(items):
        _answer(
            item,
            people[(number + turn) % len(people)],
            _value(project, item, number, sounds[sound_name(item)]),
            now - PACE * (done - number),
        )


def _value(project: Project, item: Item, number: int, sound: MadeClip) -> dict[str, object]:
    """What is answered: true captions, every other one typed in haste and rephrased later."""
    true, other = sound.captions[:2]
    if project.kind == WRITE:
        return {"text": true.lower().removesuffix(".") if number % 2 else true}
    if project.kind == EDIT:
        return {"text": other if number % 2 else true}
    ratings = {
        caption_key(text): {"accuracy": 4, "fluency": 4 if text in sound.captions else 3}
        for text in caption_texts(item)
    }
    return {"ratings": ratings}


def _answer(item: Item, user: User, value: Mapping[str, object], at: datetime) -> None:
    change = AnswerChange(
        edit=f"demo-{user.pk}-{item.pk}",
        base=0,
        value={**value, "heard": True},
        seconds=PACE.total_seconds(),
    )
    annotation_save(item=item, user=user, change=change, now=at)


@transaction.atomic
def judging_demo_load(
    *, phase: Phase, manager: User, judges: Sequence[User], now: datetime
) -> Project | None:
    """Make the project that judges pairs of a phase; None where there is any of the kind."""
    if Project.objects.filter(kind=JUDGE.name).exists():
        return None
    act = ProjectAct(manager, now)
    work = Work(JUDGE.name, {"with_sound": 1})
    rules = ProjectRules(copies=len(judges))
    project = work_start(ProjectSettings(PAIRED, rules, work.options), work, act)
    _prepare(project, judges, "Its captions are those of the demo challenge.", act)
    systems = Submission.objects.filter(phase=phase).order_by("pk")
    pairs_draw(
        project=project, phase=phase, systems=list(systems), counts=PAIRS, seed=SEED, act=act
    )
    for user in judges:
        for number, item in enumerate(project.items.order_by("position")[:JUDGED]):
            value = {"choice": _choice(item, user)}
            _answer(item, user, value, now - PACE * (JUDGED - number))
    return project


def _choice(item: Item, user: User) -> str:
    """The clip's own caption, else the longer one; each judge now and then chooses otherwise."""
    if item.content["facet"] == "HI":
        return FIRST
    first, second = (len(text.split()) for text in item.content["captions"])
    if abs(first - second) < 2:
        return ALIKE
    longer, shorter = (FIRST, SECOND) if first > second else (SECOND, FIRST)
    return shorter if (item.pk + user.pk) % 7 == 0 else longer
