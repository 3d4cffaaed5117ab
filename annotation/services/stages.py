"""Making projects that feed each other, feeding them, and keeping people from clips they know.

In a chain of stages nobody meets a clip in two of them: who wrote a caption does not edit one of
that clip, and who edited or wrote one does not rate it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from annotation.batches import AT_ONCE
from annotation.kinds.registry import kind_named
from annotation.models import Assignment, EarlierHand, Item, Member, Order, Project, Scheme, Sound
from annotation.selectors.sounds import NAME, sound_name
from annotation.selectors.stages.chain import (
    hands_to_note,
    items_of_clips,
    later_stages,
    other_stages,
    stages_of,
)
from annotation.selectors.stages.plan import (
    OUTDATED,
    FedItem,
    met_items,
    outdated_items,
    stage_plan,
)
from annotation.services.projects import (
    ProjectAct,
    ProjectRules,
    ProjectSettings,
    Task,
    Work,
    items_add,
    project_start,
)
from annotation.services.schemes import scheme_started
from annotation.services.sounds import sound_rows_remove
from leaderboard.models import User


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


@dataclass(frozen=True, slots=True)
class StageReport:
    """How many items of a project came, were changed and went; ``outdated`` ones stay as is."""

    added: int = 0
    changed: int = 0
    dropped: int = 0
    outdated: int = 0


def stages_update(*, source: Project, now: datetime, clip: str | None = None) -> None:
    """Bring all projects that a project feeds up to date, each after its own source."""
    for project in later_stages(source):
        stage_update(project=project, now=now, clip=clip)


@transaction.atomic
def stage_update(*, project: Project, now: datetime, clip: str | None = None) -> StageReport:
    """Bring a project up to date with its source, for one ``clip`` or for all; safe to run twice.

    Items that nobody was handed follow the answers of the source; others stay as they are. All
    who had a hand in a clip in another stage are noted.
    """
    # One at a time: what it compares with must not be changed by another.
    locked = Project.objects.select_for_update().get(pk=project.pk)
    plan = stage_plan(locked, clip)
    tasks = [Task(row.clip, meta=row.meta, content=row.content) for row in plan.add]
    added = items_add(project=locked, tasks=tasks)
    changed, loose = _change(plan.change), _loose(plan.drop)
    Item.objects.filter(pk__in=[item.pk for item in loose]).delete()
    _mark_outdated(locked, clip, {item.pk for item in plan.outdated})
    if locked.source_id is not None:
        _copy_sounds(locked, clip)
        _store_hands(hands_to_note(locked, clip))
    return StageReport(
        added=len(added),
        changed=changed,
        dropped=len(loose),
        outdated=len(plan.outdated) + len(plan.change) + len(plan.drop) - changed - len(loose),
    )


def _change(wanted: Mapping[int, FedItem]) -> int:
    items = _loose(wanted)
    for item in items:
        item.content = dict(wanted[item.pk].content)
    Item.objects.bulk_update(items, ["content"], batch_size=AT_ONCE)
    return len(items)


def _loose(items: Iterable[int]) -> list[Item]:
    """Lock items; those that still nobody was handed, which cannot be handed out before the end."""
    # By which it can still be referred to: handing out, which has assignments first, ends so.
    rows = Item.objects.select_for_update(no_key=True).filter(pk__in=list(items))
    locked = list(rows.order_by("pk"))
    pks = [item.pk for item in locked]
    # Handing out skips what is locked, and has locked what it hands out.
    list(Assignment.with_removed.select_for_update().filter(item__in=pks).order_by("pk"))
    met = met_items(pks)
    return [item for item in locked if item.pk not in met]


def _mark_outdated(project: Project, clip: str | None, outdated: set[int]) -> None:
    """Have items say whether they are no longer as the source has them, for the overview."""
    rows = outdated_items(project)
    rows = rows if clip is None else rows.filter(**{f"meta__{NAME}": clip})
    known = set(rows.values_list("pk", flat=True))
    items = list(Item.objects.filter(pk__in=known ^ outdated))
    for item in items:
        item.extra = {name: value for name, value in item.extra.items() if name != OUTDATED}
        if item.pk in outdated:
            item.extra[OUTDATED] = True
    Item.objects.bulk_update(items, ["extra"], batch_size=AT_ONCE)


def _copy_sounds(project: Project, clip: str | None) -> None:
    """Have the project its source's recordings; a row is all that it takes."""
    theirs, mine = (
        {row.file_name: row for row in rows}
        for rows in (_sounds(project.source_id, clip), _sounds(project.pk, clip))
    )
    named = {sound_name(item) for item in items_of_clips([project], clip)}
    wanted = [
        row
        for name, row in theirs.items()
        if name in named and (name not in mine or mine[name].sha256 != row.sha256)
    ]
    sound_rows_remove(project, [row.file_name for row in wanted if row.file_name in mine])
    Sound.objects.bulk_create(
        Sound(
            project=project,
            file_name=row.file_name,
            sha256=row.sha256,
            size=row.size,
            media_type=row.media_type,
        )
        for row in wanted
    )


def _sounds(project: int | None, clip: str | None) -> QuerySet[Sound]:
    rows = Sound.objects.filter(project=project)
    return rows if clip is None else rows.filter(file_name=clip)


def _store_hands(pairs: Iterable[tuple[int, int]]) -> None:
    rows = [EarlierHand(item_id=item, user_id=user) for item, user in pairs]
    EarlierHand.objects.bulk_create(rows, batch_size=AT_ONCE, ignore_conflicts=True)


def hands_note(*, project: Project, items: Iterable[Item], user: User) -> None:
    """Note that a person was handed items: other stages' items of their clips are not for them."""
    others = other_stages(project)
    clips = {name for item in items if (name := sound_name(item))}
    if not (others and clips):
        return
    rows = Item.with_removed.filter(project__in=others, **{f"meta__{NAME}__in": sorted(clips)})
    _store_hands((pk, user.pk) for pk in rows.values_list("pk", flat=True))


def hand_note(*, items: Iterable[Item], user: User) -> None:
    """Note that a person had a hand in the clips of these items in another stage."""
    _store_hands((item.pk, user.pk) for item in items)


def member_lock(*, project: Project, user: User) -> Member:
    """Lock a person in all stages of a project, so that two of them hand out one after the other.

    Raises ``Member.DoesNotExist`` for who is not in the project.
    """
    rows = Member.objects.select_for_update().filter(project__in=stages_of(project), user=user)
    for member in list(rows.order_by("pk")):
        if member.project_id == project.pk:
            return member
    raise Member.DoesNotExist
