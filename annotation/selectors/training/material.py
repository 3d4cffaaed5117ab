"""What a training can learn from: labels of a project, and of others that help."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from annotation.batches import AT_ONCE
from annotation.formats.prodigy import SPAN_KEYS, SUGGESTED, TOKEN_KEYS
from annotation.models import Annotation, Answer, Gold, Project
from annotation.spans import OUTSIDE, labels_of_words, still_taken
from earmark.models.descriptors.words import words_of

# With fewer a held-out fifth says nothing at all.
FEWEST = 20
# A fold must be able to judge something.
FEWEST_PER_FOLD = 10
# Of a label with fewer words hardly anything is learned, and its F1 is chance.
FEW_WORDS = 10


class LabelSource(StrEnum):
    """Which labels are learned from."""

    GOLD = "gold"
    ACCEPTED = "accepted"


@dataclass(frozen=True, slots=True)
class TrainingSelection:
    """Which labels of which projects are learned from.

    ``people`` are ids of users whose accepted answers are taken (none: everyone's);
    ``helpers`` projects labelled by other inventories.
    """

    source: LabelSource = LabelSource.GOLD
    people: tuple[int, ...] = ()
    leave_flagged: bool = True
    helpers: tuple[Project, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The selection as ``TrainingRun.chosen`` stores it."""
        return {
            "source": self.source.value,
            "people": list(self.people),
            "leave_flagged": self.leave_flagged,
            "projects": [project.pk for project in self.helpers],
        }


@dataclass(slots=True)
class LabelledSet:
    """Captions labelled by one inventory: its name, its labels ("O" last), records of Prodigy."""

    name: str
    labels: list[str]
    records: list[dict[str, Any]] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        """Write it as JSON lines, the inventory first, the same for the same captions."""
        for row in ({"set": self.name, "labels": self.labels}, *self.records):
            yield json.dumps(row, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def training_material(project: Project, chosen: TrainingSelection) -> list[LabelledSet]:
    """Read what is learned from: the project's own captions first, then those that help.

    Only texts, words, spans and what tells captions of one clip together; not who
    labelled them. A caption that several people accepted comes once for each.
    """
    own = LabelledSet(project.scheme.slug, [*project.scheme.names, OUTSIDE])
    own.records.extend(_records(project, chosen, own.name))
    sets = {own.name: own}
    for helper in chosen.helpers:
        scheme = helper.scheme
        part = sets.setdefault(scheme.slug, LabelledSet(scheme.slug, [OUTSIDE]))
        known = set(part.labels)
        part.labels[-1:-1] = [name for name in scheme.names if name not in known]
        everyone = TrainingSelection(chosen.source, leave_flagged=chosen.leave_flagged)
        part.records.extend(_records(helper, everyone, part.name))
    return [part for part in sets.values() if part is own or part.records]


def records_count(project: Project, chosen: TrainingSelection) -> int:
    """Count what would be read, those that help too, without reading it."""
    everyone = TrainingSelection(chosen.source, leave_flagged=chosen.leave_flagged)
    helped = sum(_rows(helper, everyone).count() for helper in chosen.helpers)
    return _rows(project, chosen).count() + helped


def material_amount(sets: Iterable[LabelledSet]) -> dict[str, Any]:
    """Count what there is to learn from, over words as the labeller reads them.

    ``captions`` counts records, ``texts`` different texts among them, ``labels`` the words of each
    in the order of the scheme, ``helpers`` the captions of each inventory that helps.
    """
    own, *others = sets
    counts: Counter[str] = Counter()
    texts = set()
    for record in own.records:
        words = words_with_labels(record)
        counts.update(label for _, label in words)
        texts.add(" ".join(word for word, _ in words))
    return {
        "captions": len(own.records),
        "texts": len(texts),
        "words": counts.total(),
        "labels": {name: counts[name] for name in own.labels},
        "helpers": [(part.name, len(part.records)) for part in others],
    }


def words_with_labels(record: Mapping[str, Any]) -> list[tuple[str, str]]:
    """A record's words as the labeller reads them (no punctuation), with their labels."""
    tokens = record["tokens"]
    labels = labels_of_words(record["spans"], len(tokens))
    return [
        (word.text, label)
        for token, label in zip(tokens, labels, strict=True)
        for word in words_of(str(token["text"]))
    ]


def _records(project: Project, chosen: TrainingSelection, name: str) -> Iterator[dict[str, Any]]:
    gold = chosen.source == LabelSource.GOLD
    rows = _rows(project, chosen)
    suggested = _taken(project, "item" if gold else "pk")
    values = rows.values_list(
        "item__text", "item__meta", "item__tokens", "spans", "item" if gold else "pk"
    )
    for text, meta, tokens, spans, key in values.iterator(AT_ONCE):
        taken = still_taken(suggested.get(key, ()), spans)
        record = {
            "set": name,
            "text": text,
            "meta": {key: str(meta[key]) for key in ("source", "file_name") if meta.get(key)},
            "tokens": [_with_keys(token, TOKEN_KEYS) for token in tokens],
            "spans": [_with_keys(span, SPAN_KEYS) for span in spans],
            **({SUGGESTED: taken} if taken else {}),
        }
        if words_with_labels(record):
            yield record


def _rows(project: Project, chosen: TrainingSelection) -> "QuerySet[Gold] | QuerySet[Annotation]":
    if chosen.source == LabelSource.GOLD:
        golds = Gold.objects.filter(item__project=project)
        if chosen.leave_flagged:
            flags = Annotation.objects.filter(item=OuterRef("item"), flagged=True)
            golds = golds.filter(~Exists(flags))
        return golds.order_by("item__position", "pk")
    rows = Annotation.objects.counting().filter(item__project=project, answer=Answer.ACCEPT)
    if chosen.people:
        rows = rows.filter(user__in=chosen.people)
    if chosen.leave_flagged:
        rows = rows.filter(flagged=False)
    return rows.order_by("item__position", "pk")


def _taken(project: Project, key: str) -> dict[int, list[dict[str, Any]]]:
    """The spans that were taken from a suggestion by annotation (``pk``) or by ``item``.

    A labeller that learns them learns in part what another one said.
    """
    rows = Annotation.objects.filter(item__project=project, extra__has_key="taken")
    spans: dict[int, list[dict[str, Any]]] = {}
    for number, extra in rows.values_list(key, "extra"):
        spans.setdefault(number, []).extend(extra["taken"])
    return spans


def _with_keys(row: Mapping[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: row[key] for key in keys if key in row}
