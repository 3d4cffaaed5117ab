"""Whom the items of a stage are not for: who had a hand in their clips in another stage."""

from collections import defaultdict
from collections.abc import Collection, Iterable

from django.db.models import OuterRef, QuerySet

from annotation.models import (
    Annotation,
    Assignment,
    AssignmentRecord,
    EarlierHand,
    Item,
    Project,
)
from annotation.selectors.sounds import NAME, sound_name
from annotation.selectors.stages.chain import stages_of
from leaderboard.models import User


def noted_hands(user: User) -> QuerySet[EarlierHand]:
    """That ``user`` had a hand in the clip of an outer query's ``item``."""
    return EarlierHand.objects.filter(item=OuterRef("item"), user=user)


def other_stages(project: Project) -> list[Project]:
    """The stages that a project is one of, without itself."""
    return [stage for stage in stages_of(project) if stage.pk != project.pk]


def met_elsewhere(others: list[Project], items: Iterable[Item], user: User) -> list[Item]:
    """Those of the items of whose clips ``user`` was handed an item in other stages.

    Read from what was handed out, so that it is true at once, whatever is noted by now.
    """
    named = {item: name for item in items if (name := sound_name(item))}
    if not (others and named):
        return []
    clips = sorted(set(named.values()))
    met: set[str] = set()
    for rows in (
        AssignmentRecord.objects.filter(user=user, item__project__in=others),
        Assignment.with_removed.filter(user=user, project__in=others),
    ):
        found = rows.filter(**{f"item__meta__{NAME}__in": clips})
        met |= set(found.values_list(f"item__meta__{NAME}", flat=True))
    return [item for item, name in named.items() if name in met]


def hands_to_note(project: Project, clip: str | None = None) -> list[tuple[int, int]]:
    """Items of a project, and users who had a hand in their clips in other stages: not noted yet.

    Of one ``clip`` (a name of a sound) or of all.
    """
    others = other_stages(project)
    hands: dict[str, set[int]] = defaultdict(set)
    for rows in (
        AssignmentRecord.objects.filter(item__project__in=others),
        Annotation.with_removed.filter(item__project__in=others),
        Assignment.with_removed.filter(project__in=others, user__isnull=False),
    ):
        found = rows if clip is None else rows.filter(**{f"item__meta__{NAME}": clip})
        for name, user in found.values_list(f"item__meta__{NAME}", "user"):
            hands[name].add(user)
    items = {item.pk: sound_name(item) for item in items_of_clips([project], clip)}
    known = set(
        EarlierHand.objects.filter(item__project=project).values_list("item", "user")
        if clip is None
        else EarlierHand.objects.filter(item__in=items).values_list("item", "user")
    )
    pairs = [(pk, user) for pk, name in items.items() for user in sorted(hands[name])]
    return [pair for pair in pairs if pair not in known]


def items_of_clips(projects: Collection[Project], clip: str | None) -> list[Item]:
    """The items of projects, removed ones as well: all of them, or those of one clip."""
    rows = Item.with_removed.filter(project__in=projects)
    rows = rows if clip is None else rows.filter(**{f"meta__{NAME}": clip})
    return list(rows.only("project", "meta").order_by("pk"))
