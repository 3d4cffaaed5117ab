"""Agreement between two sets of labels of the same captions, by inventories that may differ."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from annotation.agreement.captions import Caption, Labelling, Span, names_in, word_labels
from annotation.agreement.measures import PairAgreement, pair_agreement
from annotation.spans import OUTSIDE, places_of

ONE, OTHER = "one", "other"
LabelMapping = Mapping[str, tuple[str, ...]]


class AmbiguousLabels(StrEnum):
    """What becomes of a label of the first side that has several equivalents on the second."""

    NEVER = "never agrees"
    EITHER = "agrees with either"
    LEFT_OUT = "left out"


@dataclass(frozen=True, slots=True)
class LabelledRecord:
    """A caption as one side labelled it; ``key`` tells captions apart."""

    key: tuple[str, ...]
    words: tuple[str, ...]
    spans: tuple[Mapping[str, Any], ...]
    person: str = ""


RecordPair = tuple[LabelledRecord, LabelledRecord]


@dataclass(frozen=True, slots=True)
class MatchedCaptions:
    """Captions that both sides have; ``split_otherwise`` have other words and are left out."""

    pairs: tuple[RecordPair, ...]
    split_otherwise: int

    def of_people(self) -> dict[tuple[str, str], "MatchedCaptions"]:
        """Take the pairs apart by who labelled on either side."""
        groups: dict[tuple[str, str], list[RecordPair]] = defaultdict(list)
        for one, other in self.pairs:
            groups[one.person, other.person].append((one, other))
        return {people: MatchedCaptions(tuple(rows), 0) for people, rows in sorted(groups.items())}

    def by_same_person(self, *, same: bool) -> "MatchedCaptions":
        """Take the pairs that the same person labelled twice, or those of two people."""
        return MatchedCaptions(
            tuple(pair for pair in self.pairs if (pair[0].person == pair[1].person) == same), 0
        )


def matched_captions(
    first: Iterable[LabelledRecord], second: Iterable[LabelledRecord]
) -> MatchedCaptions:
    """Match captions by their keys; each of one side goes with each of the other."""
    by_key: dict[tuple[str, ...], list[LabelledRecord]] = defaultdict(list)
    for row in second:
        by_key[row.key].append(row)
    both = [(one, other) for one in first for other in by_key.get(one.key, ())]
    same = [pair for pair in both if pair[0].words == pair[1].words]
    return MatchedCaptions(tuple(same), len(both) - len(same))


def ambiguous_words(matched: MatchedCaptions, mapping: LabelMapping) -> Counter[str]:
    """Count the words of the first side by their label where that has several equivalents."""
    counts: Counter[str] = Counter()
    for one, _ in matched.pairs:
        labels = word_labels(one.spans, len(one.words))
        counts.update(label for label in labels if len(_equivalents(label, mapping)) > 1)
    return counts


def agreement_between(
    matched: MatchedCaptions,
    names: Sequence[str],
    *,
    mapping: LabelMapping,
    ambiguous: AmbiguousLabels,
) -> PairAgreement:
    """Measure how both sides agree, the labels of the first turned into those of the second.

    ``names`` are the labels of the second side in order; those of either side
    that are not among them follow.
    """
    captions = [
        _caption(number, one, other, mapping, ambiguous)
        for number, (one, other) in enumerate(matched.pairs)
    ]
    more = sorted(names_in(captions) - {*names, OUTSIDE})
    return pair_agreement(captions, ONE, OTHER, (*names, *more, OUTSIDE))


def _equivalents(label: str, mapping: LabelMapping) -> tuple[str, ...]:
    return mapping.get(label, (label,))


def _caption(
    number: int,
    one: LabelledRecord,
    other: LabelledRecord,
    mapping: LabelMapping,
    ambiguous: AmbiguousLabels,
) -> Caption:
    theirs = word_labels(other.spans, len(other.words))
    ours = word_labels(one.spans, len(one.words))
    places = [
        at
        for at, label in enumerate(ours)
        if ambiguous is not AmbiguousLabels.LEFT_OUT or len(_equivalents(label, mapping)) == 1
    ]
    first = tuple(_resolved(ours[at], {theirs[at]}, mapping, ambiguous) for at in places)
    taking_part = frozenset(places)
    others = _spans(other, taking_part)
    labellings = {
        ONE: Labelling(
            first, _resolved_spans(_spans(one, taking_part), others, mapping, ambiguous)
        ),
        OTHER: Labelling(tuple(theirs[at] for at in places), others),
    }
    return Caption(number, tuple(one.words[at] for at in places), labellings)


def _resolved(
    label: str, theirs: set[str], mapping: LabelMapping, ambiguous: AmbiguousLabels
) -> str:
    """The equivalent of a label; of several the one that agrees, where that counts."""
    names = _equivalents(label, mapping)
    if len(names) == 1:
        return names[0]
    if ambiguous is AmbiguousLabels.NEVER:
        return label
    return next((name for name in names if name in theirs), names[0])


def _spans(side: LabelledRecord, places: frozenset[int]) -> frozenset[Span]:
    """The spans all of whose words take part."""
    return frozenset(
        (first, last, label)
        for first, last, label in places_of(side.spans)
        if places.issuperset(range(first, last + 1))
    )


def _resolved_spans(
    ours: frozenset[Span],
    theirs: frozenset[Span],
    mapping: LabelMapping,
    ambiguous: AmbiguousLabels,
) -> frozenset[Span]:
    labels = defaultdict(set)
    for first, last, label in theirs:
        labels[first, last].add(label)
    return frozenset(
        (first, last, _resolved(label, labels[first, last], mapping, ambiguous))
        for first, last, label in ours
    )
