"""Making the projects in which captions are written, edited and rated."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from annotation.kinds.registry import kind_named
from annotation.models import Order, Project, Scheme
from annotation.services.projects import (
    ProjectAct,
    ProjectRules,
    ProjectSettings,
    Work,
    project_start,
)
from annotation.services.schemes import scheme_started


@dataclass(frozen=True, slots=True)
class StageSettings:
    """A stage that is to be made: its kind of work, people for each item, options of the kind."""

    kind: str
    name: str
    people: int
    options: Mapping[str, Any]


@transaction.atomic
def stages_start(*, stages: Sequence[StageSettings], act: ProjectAct) -> list[Project]:
    """Make projects that the actor manages, each fed by the one before."""
    made: list[Project] = []
    for stage in stages:
        rules = ProjectRules(order=Order.RANDOM, copies=stage.people)
        settings = ProjectSettings(stage.name, rules, stage.options)
        source = made[-1] if made else None
        made.append(work_start(settings, Work(stage.kind, stage.options, source), act))
    return made


def work_start(settings: ProjectSettings, work: Work, act: ProjectAct) -> Project:
    """Make a project whose work is another than labelling words, with no labels of its own."""
    nothing = Scheme(title=kind_named(work.kind).title, labels=[])
    scheme = scheme_started(scheme=nothing, settings=settings, act=act)
    return project_start(settings=settings, scheme=scheme, act=act, work=work)
