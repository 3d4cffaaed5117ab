"""Captions that the trials learn from: with labels and who gave them, and without labels."""

import csv
import gzip
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np

from scoring.models.descriptors import words_of
from scoring.models.descriptors.network import head_name
from scoring.models.descriptors.subwords import Subwords
from scoring.text.parse import load_pipeline
from scoring.train.descriptors import AnnotatedCaption, LabelSet, annotated_caption
from scoring.train.descriptors.data_split import caption_groups
from tests.bench.recipes.words import _TAGS, Example, Table

Parsed = tuple[tuple[tuple[int, int, int, int], ...], Table]


def who_labelled(data: Path) -> dict[tuple[int, str, tuple[str, ...]], str]:
    """Tell who labelled a caption, by the number of labels, its words and its labels."""
    found = {}
    for count in (13, 10):
        path = data / "descriptors" / f"aces_{count}_labels.jsonl"
        for line in path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            one = annotated_caption(record)
            found[count, one.key, one.labels] = str(record["_session_id"])
    return found


def unlabelled(data: Path, sets: Sequence[LabelSet], count: int) -> list[AnnotatedCaption]:
    """Draw captions of AudioCaps' and Clotho's parts to learn from, in equal shares.

    Left out are all that belong together with a labelled caption of any fold, by the rule
    that parts folds: 60 % of the words in common, the same text, or the same clip.
    """
    labelled = [one for part in sets for one in part.captions]
    known = {id(one) for one in labelled}
    clips = {one.clip for one in labelled if one.clip}
    rng = random.Random(0)
    found: list[AnnotatedCaption] = []
    for rows in (list(_audiocaps(data)), list(_clotho(data, clips))):
        rng.shuffle(rows)
        kept = dict.fromkeys(row for row in rows if 4 <= len(row) <= 25)
        fresh = [AnnotatedCaption(row, ("O",) * len(row)) for row in kept][
            : count // 2 + count // 10
        ]
        near = _near(labelled, known, fresh)
        found += [one for one in fresh if one.key not in near][: count // 2]
    return found


def _near(
    labelled: list[AnnotatedCaption], known: set[int], fresh: list[AnnotatedCaption]
) -> set[str]:
    """The keys of those that share a group with a labelled caption, one hop or many."""
    found: set[str] = set()
    for group in caption_groups([*labelled, *fresh]):
        if any(id(one) in known for one in group):
            found.update(one.key for one in group)
    return found


def _audiocaps(data: Path) -> Iterator[tuple[str, ...]]:
    with gzip.open(data / "audiocaps" / "train.csv.gz", "rt", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            yield tuple(word.text for word in words_of(row["caption"]))


def _clotho(data: Path, clips: set[str]) -> Iterator[tuple[str, ...]]:
    with gzip.open(data / "clotho" / "clotho_development.csv.gz", "rt", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["fname"].strip() not in clips:
                yield tuple(word.text for word in words_of(row["text"]))


@cache
def parsed(words: tuple[str, ...]) -> Parsed:
    """Parse words as they are split here: tag, arc, the head's tag, the head; and vectors."""
    from spacy.tokens import Doc

    pipeline = load_pipeline()
    doc = Doc(pipeline.vocab, words=[words[0].capitalize(), *words[1:], "."])
    for _, pipe in pipeline.pipeline:
        doc = pipe(doc)
    tags = {name: at for at, name in enumerate(pipeline.get_pipe("tagger").labels)}
    arcs = {name: at for at, name in enumerate(pipeline.get_pipe("parser").labels)}
    last = len(words) - 1
    rows = tuple(
        (
            tags.get(token.tag_, _TAGS - 1),
            arcs.get(token.dep_, _TAGS - 1),
            tags.get(token.head.tag_, _TAGS - 1),
            min(token.head.i, last),
        )
        for token in doc[: len(words)]
    )
    return rows, np.asarray(doc.tensor[: len(words)], np.float32)


def example(
    caption: AnnotatedCaption,
    subwords: Subwords,
    targets: Mapping[str, Table],
    *,
    person: int = 0,
    parse: bool = False,
) -> Example:
    """A caption as the network reads it."""
    (piece,) = subwords.pieces(caption.words)
    tags, vectors = parsed(caption.words) if parse else ((), None)
    return Example(piece.ids, piece.owners, targets, person, tags, vectors)


def given(part: LabelSet, caption: AnnotatedCaption) -> dict[str, Table]:
    """People's labels as a table of probabilities."""
    numbers = [part.labels.index(label) for label in caption.labels]
    return {head_name(part.name): np.eye(len(part.labels), dtype=np.float32)[numbers]}
