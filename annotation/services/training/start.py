"""Starting a training: its captions are stored unchanged, so that numbers can be traced."""

import gzip
import hashlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.db.models import Max

from annotation.models import Project, TrainingData, TrainingRun
from annotation.selectors.training.material import (
    LabelledSet,
    TrainingSelection,
    fewest_captions,
    material_amount,
    records_count,
    training_material,
)
from annotation.services.projects import ProjectAct
from annotation.services.training.states import project_lock
from leaderboard.web.refusals import Refused
from scoring.captions.faults import count_of

MOST_EPOCHS, MOST_BATCH = 50, 128


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """How a training goes.

    ``TrainingRun.options`` stores them. ``backbone`` is "" for the packaged encoder; ``epochs``
    and ``rate`` None: as usual for the method. ``held_out`` is the share of captions that are
    judged and not learned from; ``folds`` 0: no cross-validation. ``learn_all``: once it is
    measured, a labeller that learned from all captions is made. ``name`` is the labeller's, as
    signatures have it.
    """

    name: str
    method: str = "lora"
    backbone: str = ""
    epochs: int | None = None
    rate: float | None = None
    batch: int = 16
    seed: int = 1
    held_out: float = 0.2
    folds: int = 0
    curve: bool = False
    learn_all: bool = False


def check_count(project: Project, chosen: TrainingSelection) -> None:
    """Refuse before more is read than a training may learn from."""
    most: int = settings.TRAINING_CAPTIONS
    found = records_count(project, chosen)
    if found > most:
        raise Refused(
            f"On this site a training may use at most {most:,} captions, but you chose {found:,}. "
            "Choose settled labels only, or fewer people or projects. An "
            "administrator of this site can change this limit (EARMARK_TRAINING_CAPTIONS).",
            status=422,
        )


@transaction.atomic
def training_start(
    *, project: Project, chosen: TrainingSelection, options: TrainingOptions, act: ProjectAct
) -> TrainingRun:
    """Keep the captions and let a training wait for a worker.

    Refused where there are too few or too many, with 409 where one of the project is under way.
    """
    project_lock(project)
    check_count(project, chosen)
    sets = training_material(project, chosen)
    amount, needed = material_amount(sets), fewest_captions(options.folds)
    if amount.texts < needed:
        raise Refused(
            f"A training needs at least {needed} different captions, but there are only "
            f"{amount.texts}. Settle or accept {count_of(needed - amount.texts, 'more caption')}, "
            "or choose labels less strictly.",
            status=422,
        )
    last = TrainingRun.objects.filter(project=project).aggregate(last=Max("number"))["last"]
    run = TrainingRun.objects.create(
        project=project,
        number=(last or 0) + 1,
        name=options.name,
        chosen=chosen.to_json(),
        options=asdict(options),
        data=training_data_keep(sets, now=act.now),
        started_by=act.actor,
        created_at=act.now,
    )
    act.note("train", project, number=run.number, data=run.data.sha256)
    return run


def training_data_keep(sets: Iterable[LabelledSet], *, now: datetime) -> TrainingData:
    """Keep captions as JSON lines, once for the same captions."""
    rows = list(sets)
    content = "".join(f"{line}\n" for part in rows for line in part.lines()).encode()
    found, _ = TrainingData.objects.get_or_create(
        sha256=hashlib.sha256(content).hexdigest(),
        defaults={
            "captions": sum(len(part.records) for part in rows),
            # The same bytes for the same captions, whenever they are kept.
            "content": gzip.compress(content, mtime=0),
            "created_at": now,
        },
    )
    return found
