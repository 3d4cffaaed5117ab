"""What ratings say: of captions, which of them are kept, and of those who wrote and rated them."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import fmean, median
from typing import Any

from django.db.models import Count

from annotation.agreement.measures import Estimate, ratings_alpha
from annotation.batches import AT_ONCE, in_batches
from annotation.kinds.names import RATE
from annotation.kinds.rate import GOOD_ENOUGH, HIGHEST, LOWEST, SCALES, caption_key
from annotation.models import Annotation, Answer, Assignment, Item, Project
from annotation.selectors.sounds import sound_name
from annotation.selectors.stages.chain import earlier_stages, later_stages

# Accuracy and fluency of one caption by one person.
Rating = tuple[int, int]


@dataclass(frozen=True, slots=True)
class RatedCaption:
    """A version of a clip's captions.

    ``annotations`` are the ids of the answers that said it. ``accuracy`` and ``fluency`` are means
    over ``raters`` people, None without any, as is the ``rank``: by accuracy, then fluency. Equal
    ones share a rank (``tied``); of them those are ``kept`` that were written first. One is
    ``refused`` where every answer that said it is.
    """

    text: str
    annotations: tuple[int, ...]
    accuracy: float | None
    fluency: float | None
    raters: int
    rank: int | None
    tied: bool
    kept: bool
    refused: bool


@dataclass(frozen=True, slots=True)
class RatedClip:
    """A clip with its captions, best first, those that nobody rated last.

    ``missing`` answers are still to come: until then ranks may change.
    """

    item: Item
    file_name: str
    captions: tuple[RatedCaption, ...]
    missing: int

    @property
    def kept(self) -> tuple[RatedCaption, ...]:
        """The captions that are kept, best first."""
        return tuple(row for row in self.captions if row.kept)

    @property
    def dropped(self) -> bool:
        """Whether none is kept, since one was refused and no other is good enough."""
        return not self.kept and any(row.refused for row in self.captions)


def rated_captions(project: Project, items: Iterable[Item] | None = None) -> list[RatedClip]:
    """The clips of a rating project (of ``items`` alone) with their captions, in a few queries.

    Only accepted answers that count are read. In a closed project no answers are missing.
    """
    rows = list(project.items.order_by("position") if items is None else items)
    keep = project.work_kind.options(project.kind_options)["keep"]
    refused = _refused(project)
    ratings: dict[int, dict[str, list[Rating]]] = {}
    missing: dict[int, int] = {}
    for part in in_batches(rows):
        ratings |= ratings_of(part)
        missing |= {} if project.closed else _missing(part)
    return [
        RatedClip(
            item,
            sound_name(item) or item.text,
            _ranked(item.content.get("captions", []), ratings.get(item.pk, {}), keep, refused),
            missing.get(item.pk, 0),
        )
        for item in rows
    ]


def ratings_of(items: Sequence[Item]) -> dict[int, dict[str, list[Rating]]]:
    """The ratings of each item by the keys of its captions, in the order of the answers."""
    ratings: dict[int, dict[str, list[Rating]]] = defaultdict(lambda: defaultdict(list))
    rows = Annotation.objects.counting().filter(item__in=items, answer=Answer.ACCEPT)
    for pk, value in rows.order_by("pk").values_list("item", "value"):
        for key, rating in (value or {}).get("ratings", {}).items():
            accuracy, fluency = (int(rating[scale]) for scale in SCALES)
            ratings[pk][key].append((accuracy, fluency))
    return ratings


def _refused(project: Project) -> frozenset[int]:
    """The answers of the earlier stages that were refused."""
    stages = earlier_stages(project)
    rows = Annotation.with_removed.filter(item__project__in=stages, refused__isnull=False)
    return frozenset(rows.values_list("pk", flat=True))


def _missing(items: Sequence[Item]) -> dict[int, int]:
    missing: dict[int, int] = defaultdict(int)
    for pk in Assignment.objects.filter(item__in=items, done=False).values_list("item", flat=True):
        missing[pk] += 1
    return missing


def _ranked(
    captions: Sequence[Mapping[str, Any]],
    ratings: Mapping[str, list[Rating]],
    keep: int,
    refused: frozenset[int] = frozenset(),
) -> tuple[RatedCaption, ...]:
    """Versions best first; the order of the item, in which they were written, breaks ties."""
    by_caption = [ratings.get(caption_key(str(row["text"])), []) for row in captions]
    means = [_means(rows) for rows in by_caption]
    alike = Counter(means)
    # Sorting leaves those that are equal as they stand.
    order = sorted(range(len(captions)), key=lambda at: means[at] or (-1, -1), reverse=True)
    annotations = [row.get("annotations") for row in captions]
    out = {at for at, answers in enumerate(annotations) if answers and refused.issuperset(answers)}
    kept = _kept([at for at in order if by_caption[at]], by_caption, out, keep)
    ranked: list[RatedCaption] = []
    rank = 0
    for place, at in enumerate(order):
        mean = means[at]
        rank = rank if place and mean == means[order[place - 1]] else place + 1
        ranked.append(
            RatedCaption(
                text=str(captions[at]["text"]),
                annotations=tuple(captions[at].get("annotations", ())),
                accuracy=None if mean is None else float(mean[0]),
                fluency=None if mean is None else float(mean[1]),
                raters=len(by_caption[at]),
                rank=None if mean is None else rank,
                tied=mean is not None and alike[mean] > 1,
                kept=at in kept,
                refused=at in out,
            )
        )
    return tuple(ranked)


def _kept(
    rated: Sequence[int], ratings: Sequence[Sequence[Rating]], refused: set[int], keep: int
) -> set[int]:
    """The best captions; one that was refused makes room for a good one, or the clip is dropped.

    Drossos et al. 2020 (Clotho), section 2.2: of the others the best to which everybody gave
    ``GOOD_ENOUGH`` or more for accuracy and fluency. Without one nothing of the clip is kept.
    """
    best, others = rated[:keep], rated[keep:]
    good = [
        at
        for at in others
        if at not in refused and min(min(rating) for rating in ratings[at]) >= GOOD_ENOUGH
    ]
    lost = len(refused.intersection(best))
    return {*best, *good[:lost]} - refused if lost <= len(good) else set()


def _means(ratings: Sequence[Rating]) -> tuple[Fraction, Fraction] | None:
    """Exact means, so that equal ones are equal; None of nothing."""
    if not ratings:
        return None
    accuracy, fluency = (sum(numbers) for numbers in zip(*ratings, strict=True))
    return Fraction(accuracy, len(ratings)), Fraction(fluency, len(ratings))


@dataclass(frozen=True, slots=True)
class PersonQuality:
    """How one person's work stands.

    ``accuracy`` and ``fluency`` over ``ratings``: in a project that rates, the medians of those
    that the person gave; else the means of those that ``captions`` of theirs received. None
    without any. ``answers`` of theirs count, ``refused`` ones do not.
    """

    answers: int
    refused: int
    captions: int
    ratings: int
    accuracy: float | None
    fluency: float | None


def project_quality(project: Project) -> tuple[dict[int, PersonQuality], dict[str, float | None]]:
    """The people of a project by user id, and the median of each scale over those who have it.

    The number of queries grows with the ratings by ``AT_ONCE`` items.
    """
    rates = project.kind == RATE
    ratings, captions = _given(project) if rates else _received(project)
    answers, refused = _counts(project)
    middle = median if rates else fmean
    people = {
        user: PersonQuality(
            answers.get(user, 0),
            refused.get(user, 0),
            captions.get(user, 0),
            len(ratings.get(user, ())),
            *(
                middle(row[at] for row in ratings[user]) if ratings.get(user) else None
                for at in range(len(SCALES))
            ),
        )
        for user in sorted({*answers, *refused, *ratings})
    }
    medians: dict[str, float | None] = dict.fromkeys(SCALES)
    for scale in SCALES:
        values = [value for row in people.values() if (value := getattr(row, scale)) is not None]
        medians[scale] = median(values) if values else None
    return people, medians


def _counts(project: Project) -> tuple[dict[int, int], dict[int, int]]:
    rows = Annotation.objects.filter(item__project=project).order_by().values_list("user")
    counting = rows.filter(pk__in=Annotation.objects.counting().values("pk"))
    refused = rows.filter(refused__isnull=False)
    return (dict(counting.annotate(count=Count("pk"))), dict(refused.annotate(count=Count("pk"))))


def _given(project: Project) -> tuple[dict[int, list[Rating]], dict[int, int]]:
    by_person: dict[int, list[Rating]] = defaultdict(list)
    rows = Annotation.objects.counting().filter(item__project=project, answer=Answer.ACCEPT)
    for user, value in rows.order_by("pk").values_list("user", "value").iterator(AT_ONCE):
        for rating in (value or {}).get("ratings", {}).values():
            by_person[user].append((rating["accuracy"], rating["fluency"]))
    return by_person, {user: len(ratings) for user, ratings in by_person.items()}


def _received(project: Project) -> tuple[dict[int, list[Rating]], dict[int, int]]:
    """The ratings that captions of each person received in later stages, and how many captions."""
    makers = dict(Annotation.objects.filter(item__project=project).values_list("pk", "user"))
    by_person: dict[int, list[Rating]] = defaultdict(list)
    captions: dict[int, int] = defaultdict(int)
    for stage in later_stages(project):
        if stage.kind != RATE:
            continue
        for part in _parts(stage):
            ratings = ratings_of(part)
            for item in part:
                for row in item.content.get("captions", ()):
                    of_caption = ratings.get(item.pk, {}).get(caption_key(str(row["text"])), [])
                    for user in {makers[pk] for pk in row["annotations"] if pk in makers}:
                        by_person[user] += of_caption
                        captions[user] += bool(of_caption)
    return by_person, captions


def _parts(project: Project) -> Iterable[Sequence[Item]]:
    items = list(project.items.order_by("position").only("content", "project"))
    return in_batches(items)


def rater_agreement(project: Project) -> dict[str, Estimate]:
    """Krippendorff's ordinal alpha of a rating project by scale, with its interval over clips."""
    clips = [
        list(rated.values()) for part in _parts(project) for rated in ratings_of(part).values()
    ]
    return {
        scale: ratings_alpha(
            [[[rating[at] for rating in ratings] for ratings in clip] for clip in clips],
            lowest=LOWEST,
            highest=HIGHEST,
        )
        for at, scale in enumerate(SCALES)
    }
