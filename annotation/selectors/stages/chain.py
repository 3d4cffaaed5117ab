"""Which projects feed which, whether any changed, and who had a hand in clips in other stages."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any

from django.db.models import (
    BigIntegerField,
    Case,
    ExpressionWrapper,
    F,
    OuterRef,
    QuerySet,
    Sum,
    Value,
    When,
)
from django.db.models.functions import Cast, Coalesce

from annotation.models import (
    Annotation,
    Assignment,
    AssignmentRecord,
    EarlierHand,
    Item,
    Project,
    Sound,
)
from annotation.selectors.sounds import NAME, sound_name
from leaderboard.models import User


def earlier_stages(project: Project) -> list[Project]:
    """The projects that feed a project, the nearest first."""
    stages: list[Project] = []
    source = project.source_id
    while source is not None and source not in {project.pk, *(row.pk for row in stages)}:
        row = Project.objects.get(pk=source)
        stages.append(row)
        source = row.source_id
    return stages


def later_stages(project: Project) -> list[Project]:
    """The projects that a project feeds, each after its source."""
    stages: list[Project] = []
    ahead = [project.pk]
    while ahead:
        known = {project.pk, *(row.pk for row in stages)}
        rows = Project.objects.filter(source__in=ahead).exclude(pk__in=known).order_by("pk")
        stages += rows
        ahead = [row.pk for row in rows]
    return stages


def stages_of(project: Project) -> list[Project]:
    """All projects of the stages that a project is one of, in their order; itself if it is none."""
    if project.work_kind.has_labels:
        return [project]
    first = next(iter(earlier_stages(project)[::-1]), project)
    return [first, *later_stages(first)]


# A prime below 2**31, so that no product leaves 64 bits.
_PRIME, _FACTOR = 2_147_483_647, 1_000_003
_WHOLE = BigIntegerField()


def stages_state(project: Project) -> str:
    """What the answers, items, places, people and recordings of a project's stages come to.

    Equal where nothing changed that ``stage_plan`` or what notes hands reads: a text by the version
    of its answer, everything else by its ids. Six queries, whatever the size, besides those for
    the stages.
    """
    stages = stages_of(project)
    items = {"item__project__in": stages}
    rows: list[tuple[QuerySet[Any], tuple[Any, ...]]] = [
        (Item.with_removed.filter(project__in=stages), ("pk", _flag(removed_at__isnull=False))),
        (
            Annotation.with_removed.filter(**items),
            ("pk", "version", "user", "assignment", "sent_back", "refused"),
        ),
        (Assignment.with_removed.filter(project__in=stages), ("pk", "user", _flag(done=True))),
        (AssignmentRecord.objects.filter(**items), ("pk", "user")),
        (Sound.objects.filter(project__in=stages), ("pk",)),
    ]
    chain = [f"{stage.pk}{'c' * stage.closed}" for stage in stages]
    return " ".join([*chain, *(str(_checksum(query, names)) for query, names in rows)])


def _flag(**holds: bool) -> Case:
    return Case(When(**holds, then=Value(1)), default=Value(0), output_field=_WHOLE)


def _checksum(rows: QuerySet[Any], columns: tuple[Any, ...]) -> int | None:
    """The sum of one number for each row; squares, so that no exchange between rows is lost."""
    mixed: Any = Value(0, output_field=_WHOLE)
    for column in columns:
        named = F(column) if isinstance(column, str) else column
        # Not every database has products of short numbers as long ones.
        value = Coalesce(Cast(named, _WHOLE), Value(0), output_field=_WHOLE)
        mixed = (mixed * _FACTOR + value + 1) % _PRIME
    squared = ExpressionWrapper(mixed * mixed % _PRIME, output_field=_WHOLE)
    total: int | None = rows.order_by().aggregate(sum=Sum(squared))["sum"]
    return total


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
        of_clips = rows.filter(**{f"item__meta__{NAME}__in": clips})
        met |= set(of_clips.values_list(f"item__meta__{NAME}", flat=True))
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
        of_clip = rows if clip is None else rows.filter(**{f"item__meta__{NAME}": clip})
        for name, user in of_clip.values_list(f"item__meta__{NAME}", "user"):
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
