"""What ratings say of those who wrote, edited and rated, and of how many ratings that is."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from django.db.models import Count

from annotation.agreement.measures import Estimate
from annotation.agreement.ordinal import ordinal_alpha
from annotation.batches import AT_ONCE, in_batches
from annotation.kinds.names import RATE
from annotation.kinds.rate import HIGHEST, LOWEST, SCALES, caption_key
from annotation.models import Annotation, Answer, Item, Project
from annotation.selectors.stages.chain import later_stages
from annotation.selectors.stages.ratings import Rating, ratings_of


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


@dataclass(frozen=True, slots=True)
class ProjectQuality:
    """The people of a project by user id, and the median of each figure over those who have it."""

    people: dict[int, PersonQuality]
    accuracy: float | None
    fluency: float | None


def project_quality(project: Project) -> ProjectQuality:
    """Read it; the number of queries grows with the ratings by ``AT_ONCE`` items."""
    rates = project.kind == RATE
    given, captions = _given(project) if rates else _received(project)
    answers, refused = _counts(project)
    middle = median if rates else fmean
    people = {
        user: PersonQuality(
            answers.get(user, 0),
            refused.get(user, 0),
            captions.get(user, 0),
            len(given.get(user, ())),
            *(
                middle(row[at] for row in given[user]) if given.get(user) else None
                for at in range(len(SCALES))
            ),
        )
        for user in sorted({*answers, *refused, *given})
    }
    accuracy, fluency = (
        _median(value for row in people.values() if (value := getattr(row, scale)) is not None)
        for scale in SCALES
    )
    return ProjectQuality(people, accuracy, fluency)


def _median(values: Iterable[float]) -> float | None:
    found = list(values)
    return median(found) if found else None


def _counts(project: Project) -> tuple[dict[int, int], dict[int, int]]:
    """How many answers of each person count, and how many were refused."""
    rows = Annotation.objects.filter(item__project=project).order_by().values_list("user")
    counting = rows.filter(pk__in=Annotation.objects.counting().values("pk"))
    refused = rows.filter(refused__isnull=False)
    return (
        dict(counting.annotate(count=Count("pk"))),
        dict(refused.annotate(count=Count("pk"))),
    )


def _given(project: Project) -> tuple[dict[int, list[Rating]], dict[int, int]]:
    """The ratings that each person gave, and of how many captions."""
    given: dict[int, list[Rating]] = defaultdict(list)
    rows = Annotation.objects.counting().filter(item__project=project, answer=Answer.ACCEPT)
    for user, value in rows.order_by("pk").values_list("user", "value").iterator(AT_ONCE):
        for rating in (value or {}).get("ratings", {}).values():
            given[user].append((rating["accuracy"], rating["fluency"]))
    return given, {user: len(ratings) for user, ratings in given.items()}


def _received(project: Project) -> tuple[dict[int, list[Rating]], dict[int, int]]:
    """The ratings that captions of each person received in later stages, and how many captions."""
    makers = dict(Annotation.objects.filter(item__project=project).values_list("pk", "user"))
    given: dict[int, list[Rating]] = defaultdict(list)
    captions: dict[int, int] = defaultdict(int)
    for stage in later_stages(project):
        if stage.kind != RATE:
            continue
        for part in _parts(stage):
            ratings = ratings_of(part)
            for item in part:
                for row in item.content.get("captions", ()):
                    told = ratings.get(item.pk, {}).get(caption_key(str(row["text"])), [])
                    for user in {makers[pk] for pk in row["annotations"] if pk in makers}:
                        given[user] += told
                        captions[user] += bool(told)
    return given, captions


def _parts(project: Project) -> Iterable[Sequence[Item]]:
    items = list(project.items.order_by("position").only("content", "project"))
    return in_batches(items)


def rater_agreement(project: Project) -> dict[str, Estimate]:
    """Krippendorff's ordinal alpha of a rating project by scale, with its interval over clips."""
    clips = [
        list(found.values()) for part in _parts(project) for found in ratings_of(part).values()
    ]
    return {
        scale: ordinal_alpha(
            [[[rating[at] for rating in ratings] for ratings in clip] for clip in clips],
            lowest=LOWEST,
            highest=HIGHEST,
        )
        for at, scale in enumerate(SCALES)
    }
