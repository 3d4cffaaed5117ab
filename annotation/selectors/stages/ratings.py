"""What became of the captions of clips that were rated: means, ranks, and which are kept."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from annotation.kinds.rate import SCALES, caption_key
from annotation.models import Annotation, Answer, Assignment, Item, Project
from annotation.selectors.sounds import sound_name

AT_ONCE = 500

# Accuracy and fluency of one caption by one person.
Rating = tuple[int, int]


@dataclass(frozen=True, slots=True)
class RatedCaption:
    """A version of a clip's captions.

    ``annotations`` are the ids of the answers that said it. ``accuracy`` and ``fluency`` are means
    over ``raters`` people, None without any, as is the ``rank``: by accuracy, then fluency. Equal
    ones share a rank (``tied``); of them those are ``kept`` that were written first.
    """

    text: str
    annotations: tuple[int, ...]
    accuracy: float | None
    fluency: float | None
    raters: int
    rank: int | None
    tied: bool
    kept: bool


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


def rated_captions(project: Project, items: Iterable[Item] | None = None) -> list[RatedClip]:
    """The clips of a rating project (of ``items`` alone) with their captions, in two queries more.

    Only accepted answers that count are read. In a closed project no answers are missing.
    """
    rows = list(project.items.order_by("position") if items is None else items)
    keep = project.work_kind.options(project.kind_options)["keep"]
    ratings: dict[int, dict[str, list[Rating]]] = {}
    missing: dict[int, int] = {}
    for start in range(0, len(rows), AT_ONCE):
        part = rows[start : start + AT_ONCE]
        ratings |= ratings_of(part)
        missing |= {} if project.closed else _missing(part)
    return [
        RatedClip(
            item,
            sound_name(item) or item.text,
            _ranked(item.content.get("captions", []), ratings.get(item.pk, {}), keep),
            missing.get(item.pk, 0),
        )
        for item in rows
    ]


def ratings_of(items: Sequence[Item]) -> dict[int, dict[str, list[Rating]]]:
    """The ratings of each item by the keys of its captions, in the order of the answers."""
    found: dict[int, dict[str, list[Rating]]] = defaultdict(lambda: defaultdict(list))
    rows = Annotation.objects.counting().filter(item__in=items, answer=Answer.ACCEPT)
    for pk, value in rows.order_by("pk").values_list("item", "value"):
        for key, rating in (value or {}).get("ratings", {}).items():
            accuracy, fluency = (int(rating[scale]) for scale in SCALES)
            found[pk][key].append((accuracy, fluency))
    return found


def _missing(items: Sequence[Item]) -> dict[int, int]:
    missing: dict[int, int] = defaultdict(int)
    for pk in Assignment.objects.filter(item__in=items, done=False).values_list("item", flat=True):
        missing[pk] += 1
    return missing


def _ranked(
    captions: Sequence[Mapping[str, Any]], ratings: Mapping[str, list[Rating]], keep: int
) -> tuple[RatedCaption, ...]:
    """Versions best first; the order of the item, in which they were written, breaks ties."""
    told = [ratings.get(caption_key(str(row["text"])), []) for row in captions]
    means = [_means(rows) for rows in told]
    alike = Counter(means)
    # Sorting leaves those that are equal as they stand.
    order = sorted(range(len(captions)), key=lambda at: _worst_last(means[at]))
    found: list[RatedCaption] = []
    rank = 0
    for place, at in enumerate(order):
        mean = means[at]
        rank = rank if place and mean == means[order[place - 1]] else place + 1
        found.append(
            RatedCaption(
                text=str(captions[at]["text"]),
                annotations=tuple(captions[at].get("annotations", ())),
                accuracy=None if mean is None else float(mean[0]),
                fluency=None if mean is None else float(mean[1]),
                raters=len(told[at]),
                rank=None if mean is None else rank,
                tied=mean is not None and alike[mean] > 1,
                kept=mean is not None and place < keep,
            )
        )
    return tuple(found)


def _means(ratings: Sequence[Rating]) -> tuple[Fraction, Fraction] | None:
    """Exact means, so that equal ones are equal; None of nothing."""
    if not ratings:
        return None
    accuracy, fluency = (sum(numbers) for numbers in zip(*ratings, strict=True))
    return Fraction(accuracy, len(ratings)), Fraction(fluency, len(ratings))


def _worst_last(mean: tuple[Fraction, Fraction] | None) -> tuple[Fraction, Fraction]:
    """What sorts means best first, and none of them last."""
    return (Fraction(1), Fraction(0)) if mean is None else (-mean[0], -mean[1])
