"""Whom the items of a stage are not for: who had a hand in their clips in another stage."""

from collections.abc import Iterable

from django.db.models import OuterRef, QuerySet

from annotation.models import Assignment, AssignmentRecord, EarlierHand, Item, Project
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
