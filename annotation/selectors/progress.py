"""How far the work is, for one person and for a project."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Exists, OuterRef, Q

from annotation.models import Annotation, Item, Place, Project
from leaderboard.models import User

# Pauses longer than this are no work.
PAUSE = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Own:
    """One person's work in a project.

    ``left`` are captions that could still come; ``per_hour`` is the pace of the
    present sitting, None before its second caption; ``against_gold`` is the
    share of words labelled as in the gold set, over ``gold_words`` words.
    """

    answered: int
    today: int
    left: int
    per_hour: float | None
    against_gold: float | None
    gold_words: int


@dataclass(frozen=True, slots=True)
class Whole:
    """A project: captions, places, and how many of each are done."""

    items: int
    items_done: int
    places: int
    places_done: int
    flagged: int

    @property
    def share(self) -> float:
        """Share of the places that are done."""
        return self.places_done / self.places if self.places else 0.0


def own_progress(project: Project, user: User, now: datetime) -> Own:
    """Read one person's progress, in four queries."""
    mine = Annotation.objects.filter(item__project=project, user=user)
    day = now.replace(hour=0, minute=0, second=0, microsecond=0)
    told = mine.aggregate(answered=Count("pk"), today=Count("pk", filter=Q(created_at__gte=day)))
    same, words = _against_gold(project, user)
    return Own(
        answered=told["answered"],
        today=told["today"],
        left=_left(project, user, now),
        per_hour=_pace(mine.order_by("-created_at").values_list("created_at", flat=True)[:200]),
        against_gold=same / words if words else None,
        gold_words=words,
    )


def _left(project: Project, user: User, now: datetime) -> int:
    """Count captions with a place that is the person's or free."""
    mine = Place.objects.filter(item=OuterRef("item"), user=user)
    open_places = Place.objects.filter(project=project, done=False)
    free = open_places.filter(Q(user=None) | Q(expires_at__lt=now)).filter(~Exists(mine))
    held = open_places.filter(user=user)
    found = free.values("item").distinct().count()
    return found + held.count()


def _pace(times: object) -> float | None:
    """Give captions per hour since the last pause, from the times of answers, latest first."""
    sitting = list(times)  # type: ignore[call-overload]
    count = 1
    while count < len(sitting) and sitting[count - 1] - sitting[count] <= PAUSE:
        count += 1
    if count < 2:
        return None
    seconds = (sitting[0] - sitting[count - 1]).total_seconds()
    return (count - 1) * 3600 / seconds if seconds > 0 else None


def _against_gold(project: Project, user: User) -> tuple[int, int]:
    """Count the words labelled as in the gold set, and all words that it has of this person."""
    from annotation.spans import labels_of_words

    rows = Annotation.objects.filter(
        item__project=project, item__gold__isnull=False, user=user, answer="accept"
    ).select_related("item__gold")
    same = words = 0
    for row in rows:
        gold: list[str] = row.item.gold.labels
        mine = labels_of_words(row.spans, len(gold))
        same += sum(one == other for one, other in zip(mine, gold, strict=True))
        words += len(gold)
    return same, words


def whole_progress(project: Project) -> Whole:
    """Read a project's progress, in three queries."""
    open_place = Place.objects.filter(item=OuterRef("pk"), done=False)
    items = Item.objects.filter(project=project)
    places = Place.objects.filter(project=project).aggregate(
        every=Count("pk"), done=Count("pk", filter=Q(done=True))
    )
    flagged = Annotation.objects.filter(item__project=project, flagged=True).count()
    counted = items.annotate(open=Exists(open_place)).aggregate(
        every=Count("pk"), done=Count("pk", filter=Q(open=False))
    )
    return Whole(
        items=counted["every"],
        items_done=counted["done"],
        places=places["every"],
        places_done=places["done"],
        flagged=flagged,
    )
